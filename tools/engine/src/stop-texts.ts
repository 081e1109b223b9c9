export interface StopHit {
  /** Where in the text the stop text begins. */
  readonly at: number;
  readonly stop: string;
}

/** The stop text that begins first in `text`, of those that end after `searched`; null when there is none. */
export function firstStop(text: string, stops: readonly string[], searched: number): StopHit | null {
  let first: StopHit | null = null;
  for (const stop of stops) {
    const at = text.indexOf(stop, Math.max(0, searched - stop.length + 1));
    if (at >= 0 && (first === null || at < first.at)) first = { at, stop };
  }
  return first;
}

/** Length of the longest end of `text` that could be the beginning of a stop text. */
export function possibleStop(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(stop.slice(0, length))) longest = length;
    }
  }
  return longest;
}
