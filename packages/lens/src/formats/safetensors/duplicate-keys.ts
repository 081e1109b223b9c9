import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { anyText } from "../../arguments/kinds.ts";

/** Whether an object in a JSON text has a key twice: JSON.parse keeps the last one and says nothing. */
export function hasDuplicateKeys(text: string, parsed: unknown): boolean {
  checkFormatArguments("hasDuplicateKeys", { text: [text, anyText] });
  return countKeysOfText(text) !== countKeys(parsed);
}

/** Counts strings that a colon follows; the text must be JSON. */
function countKeysOfText(text: string): number {
  let keys = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    for (at++; text[at] !== '"'; at++) if (text[at] === "\\") at++;
    for (at++; /\s/.test(text[at] ?? ""); at++);
    if (text[at] === ":") keys++;
  }
  return keys;
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inside = Object.values(value).reduce<number>((sum, item) => sum + countKeys(item), 0);
  return inside + (Array.isArray(value) ? 0 : Object.keys(value).length);
}
