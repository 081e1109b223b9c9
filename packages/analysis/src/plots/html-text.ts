/** Everything shown passes through here: what cannot be seen is made visible, what could break out is escaped. */

const controlPictures = 0x2400;
const joiner = "\u200d";

/** Formatting characters that hide or reorder text: bidirectional marks, zero widths, byte order marks, tags. */
function isInvisible(code: number): boolean {
  return (
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    code === 0x00ad ||
    code === 0x061c ||
    code === 0x180e ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0xfeff ||
    (code >= 0xfff0 && code <= 0xfffb) ||
    (code & 0xfffe) === 0xfffe ||
    (code >= 0xfdd0 && code <= 0xfdef) ||
    (code >= 0xe0000 && code <= 0xe007f)
  );
}

function visibleCharacter(char: string, previousJoins: boolean): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(controlPictures + code);
  if (code === 0x7f) return "\u2421";
  if (code >= 0x80 && code <= 0x9f) return named(code);
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  // A zero-width joiner inside an emoji ("woman astronaut") is part of what is seen.
  if (char === joiner && previousJoins) return char;
  return isInvisible(code) ? named(code) : char;
}

function named(code: number): string {
  return `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
}

function mapCharacters(
  text: string,
  max: number,
  map: (char: string, previousJoins: boolean) => string,
): string {
  let shown = "";
  let count = 0;
  let previous = "";
  for (const char of text) {
    if (count === max) return `${shown}… (${text.length.toLocaleString("en")} characters)`;
    shown += map(
      char,
      char === joiner && /\p{Extended_Pictographic}|\ufe0f|\p{Emoji_Modifier}/u.test(previous),
    );
    previous = char;
    count += 1;
  }
  return shown;
}

/** One line for labels and prose: runs of white space become one space, control and reordering characters become visible. */
export function plainText(text: string, max = 300): string {
  return mapCharacters(text.replace(/[ \t\r\n\f\v]+/g, " "), max, visibleCharacter);
}

/** A token as it is: control and reordering characters become visible, white space is left for the caller to mark. */
export function tokenText(text: string, max = 200): string {
  return mapCharacters(text, max, (char, joins) =>
    /[\t\r\n]/.test(char) ? char : visibleCharacter(char, joins),
  );
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/** Safe as text and inside a quoted attribute, in HTML and in XML. The second of two slashes is escaped: no address in the file. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (char) => entities[char] ?? char).replace(/\/(?=\/)/g, "&#47;");
}

const escapedInJson = /[<>&\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\/(?=\/)/g;

/** JSON for a `<script type="application/json">`: equal after `JSON.parse`, but nothing in it can end the element or reorder the source. */
export function escapeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    escapedInJson,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
