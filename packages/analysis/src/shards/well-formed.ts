/** Half of a surrogate pair has no UTF-8: what a text cut in its middle becomes. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\uFFFD");
}

export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
