/**
 * Decides by chance and repeatably: each name has its own random stream, so that one quirk more does not
 * change when another one comes.
 */
export function createDraws(seed: number): (name: string, probability: number) => boolean {
  const streams = new Map<string, () => number>();
  return (name, probability) => {
    const stream = streams.get(name) ?? mulberry32(hash(name, seed));
    streams.set(name, stream);
    return stream() < probability;
  };
}

/** FNV-1a over the UTF-16 units, begun from the seed. */
function hash(text: string, seed: number): number {
  let state = (2166136261 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 16777619) >>> 0;
  return state;
}

/** Numbers from 0 up to 1. Source: T. Ettinger's mulberry32, public domain. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
