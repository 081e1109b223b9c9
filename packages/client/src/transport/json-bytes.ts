/** The bytes that give JSON its form. */
export const bytes = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

/** Whether a piece of text is white space only, as JSON has it. */
export function isBlank(text: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const code = text[i];
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false;
  }
  return true;
}
