/** The name under which results state how their random numbers were made. */
export const randomName = "sfc32 seeded by splitmix32 from the seed and the FNV-1a hash of the stream's name";

export interface Random {
  /** Uniform in [0, 1), 32 bits. */
  uniform(): number;
  /** A whole number in [0, n). */
  below(n: number): number;
  /** Standard normal (Box–Muller). */
  gaussian(): number;
  /** The same array, shuffled in place (Fisher–Yates). */
  shuffle<T extends { [index: number]: unknown; length: number }>(items: T): T;
}

/**
 * A seeded generator. Each use names its own `stream`, so that drawing more numbers in one place never changes another.
 */
export function createRandom(seed: number, stream = ""): Random {
  const next = sfc32(splitmix32(hashSeed(seed, stream)));
  const uniform = () => next() / 2 ** 32;
  const below = (n: number) => Math.floor(uniform() * n);
  let spare: number | undefined;
  return {
    uniform,
    below,
    gaussian() {
      if (spare !== undefined) {
        const value = spare;
        spare = undefined;
        return value;
      }
      // 1 − u lies in (0, 1], so the logarithm is finite.
      const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
      const angle = 2 * Math.PI * uniform();
      spare = radius * Math.sin(angle);
      return radius * Math.cos(angle);
    },
    shuffle(items) {
      for (let last = items.length - 1; last > 0; last--) {
        const other = below(last + 1);
        const held = items[last];
        items[last] = items[other];
        items[other] = held;
      }
      return items;
    },
  };
}

function hashSeed(seed: number, stream: string): number {
  let hash = 0x811c9dc5;
  for (const char of `${seed}/${stream}`) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193);
  return hash >>> 0;
}

function splitmix32(state: number): () => number {
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
}

function sfc32(seed: () => number): () => number {
  let a = seed() | 0;
  let b = seed() | 0;
  let c = seed() | 0;
  let counter = 1;
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let warmup = 0; warmup < 12; warmup++) next();
  return next;
}
