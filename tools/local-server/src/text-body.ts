/** Characters sent as one string; a longer body is made while it is read, since no string can hold every answer. */
const wholeLength = 1 << 26;
/** Characters gathered before they are sent on in a longer body. */
const blockLength = 1 << 20;

/** A response body of text pieces. */
export function textBody(pieces: Iterator<string>, whole = wholeLength): string | ReadableStream<Uint8Array> {
  const start = gather(pieces, whole);
  if (start.done) return start.text;
  const encoder = new TextEncoder();
  let first: string | null = start.text;
  return new ReadableStream({
    pull(controller) {
      const { text, done } = first === null ? gather(pieces, blockLength) : { text: first, done: false };
      first = null;
      if (text !== "") controller.enqueue(encoder.encode(text));
      if (done) controller.close();
    },
  });
}

function gather(pieces: Iterator<string>, length: number): { text: string; done: boolean } {
  let text = "";
  while (text.length < length) {
    const next = pieces.next();
    if (next.done === true) return { text, done: true };
    text += next.value;
  }
  return { text, done: false };
}
