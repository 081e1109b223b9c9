/** A stream of pseudo-random numbers that its seed fixes, the same on every machine. */
export interface RandomSource {
  /** A number in [0, 1), in steps of 2⁻³². */
  next(): number;
  /** A whole number in [0, bound). */
  below(bound: number): number;
  /** One item; throws a RangeError on an empty list. */
  pick<T>(items: readonly T[]): T;
  /** A shuffled copy (Fisher–Yates). */
  shuffled<T>(items: readonly T[]): T[];
}

/**
 * mulberry32 (Tommy Ettinger, public domain): 32 bits of state, period 2³². Good enough to choose sentences with, and
 * eight lines in any language.
 */
export function randomSource(seed: number): RandomSource {
  let state = seed >>> 0;

  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);

  return {
    next,
    below,
    pick: (items) => {
      if (items.length === 0) throw new RangeError("cannot pick from an empty list");
      return items[below(items.length)]!;
    },
    shuffled: (items) => {
      const copy = [...items];
      for (let last = copy.length - 1; last > 0; last--) {
        const other = below(last + 1);
        [copy[last], copy[other]] = [copy[other]!, copy[last]!];
      }
      return copy;
    },
  };
}
