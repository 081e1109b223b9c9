/** Uniform numbers in [0, 1), 53 bits each. */
export type Random = () => number;

/**
 * A repeatable stream for a seed (a whole number from 0 to 2^53 − 1): sfc32, started from the seed by
 * splitmix32 so that neighbouring seeds give unrelated streams.
 */
export function createRandom(seed: number): Random {
  let state = (seed >>> 0) ^ Math.imul(Math.floor(seed / 2 ** 32) + 0x9e3779b9, 0x85ebca6b);
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) | 0;
  };
  let [a, b, c, counter] = [next(), next(), next(), 1];
  const word = () => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    c |= 0;
    return result >>> 0;
  };
  for (let i = 0; i < 12; i++) word();
  return () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53;
}

/** A seed for a request that names none. */
export function randomSeed(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high! >>> 11) * 2 ** 32 + low!;
}
