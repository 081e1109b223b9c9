import { createRandom } from "../../statistics/random.ts";

/** Gaussian numbers as float32, the same for the same name. */
export function gaussians(length: number, name: string): Float32Array {
  const random = createRandom(0, `numeric suite ${name}`);
  return Float32Array.from({ length }, () => random.gaussian());
}

/** Whole numbers from -(`span` - 1) / 2 to (`span` - 1) / 2 in a fixed order without a short period: sums of them are exact. */
export function wholes(length: number, span = 7): Float32Array {
  const values = new Float32Array(length);
  let state = 12345;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    values[i] = ((state >> 16) % span) - (span - 1) / 2;
  }
  return values;
}
