import { textWidth } from "./svg-text.ts";

/** Of the values those whose names find room on an axis, in rising order: the earlier one of the list goes before the later. */
export function fittingTicks(
  values: readonly number[],
  place: (value: number) => number,
  text: (value: number) => string,
): number[] {
  const kept: number[] = [];
  const width = (value: number): number => textWidth(text(value), 11);
  for (const value of values) {
    const free = kept.every(
      (other) => Math.abs(place(other) - place(value)) >= (width(value) + width(other)) / 2 + 5,
    );
    if (free) kept.push(value);
  }
  return kept.sort((a, b) => a - b);
}
