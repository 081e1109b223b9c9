/** The events of a text/event-stream, read slowly and straight from the rules of WHATWG HTML 9.2.6. */
export function referenceEvents(body: Uint8Array): { data: string; type: string }[] {
  const events: { data: string; type: string }[] = [];
  let data = "";
  let type = "";
  // "Decode as UTF-8" takes one byte order mark away.
  const text = new TextDecoder("utf-8").decode(body);
  let line = "";
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (character !== "\r" && character !== "\n") {
      line += character;
      continue;
    }
    if (character === "\r" && text[i + 1] === "\n") i++;
    interpret(line);
    line = "";
  }
  return events;

  function interpret(whole: string): void {
    if (whole === "") {
      if (data !== "") events.push({ data: data.slice(0, -1), type });
      data = "";
      type = "";
      return;
    }
    const colon = whole.indexOf(":");
    if (colon === 0) return;
    const field = colon === -1 ? whole : whole.slice(0, colon);
    let given = colon === -1 ? "" : whole.slice(colon + 1);
    if (given.startsWith(" ")) given = given.slice(1);
    if (field === "data") data += `${given}\n`;
    if (field === "event") type = given;
  }
}
