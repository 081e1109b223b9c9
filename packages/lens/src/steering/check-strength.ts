import { SteeringError } from "./steering-error.ts";
import type { SteeringVector } from "./steering-vector.ts";

/** The largest finite bfloat16: what is beyond it is infinite on the server, and may stay in caches that others read. */
const largestBf16 = (2 - 2 ** -7) * 2 ** 127;
/** A norm that no stream has (massive activations are about 2e4): normMatch multiplies with the stream's. */
const streamNorm = 2 ** 20;

/** Refuses a scale or rows that the server's number types make infinite or zero. Throws `steering_scale`, `steering_not_finite`. */
export function checkRange({ layers, rows, scale }: SteeringVector): void {
  const given = `scale ${scale} given`;
  if (!(Math.abs(scale) <= largestBf16)) {
    throw new SteeringError(
      "steering_scale",
      `${given}; allowed: a finite number of at most 3.38e38, which bfloat16 holds (infinity can spoil other requests on the server)`,
    );
  }
  if (scale !== 0 && Math.fround(scale) === 0) {
    throw new SteeringError(
      "steering_scale",
      `${given}, which is 0 as float32, so nothing would be steered; allowed: 0 for that, or at least 1.4e-45`,
    );
  }
  const at = rows.findIndex((row) => !(largest(row) <= largestBf16));
  if (at >= 0) {
    throw new SteeringError(
      "steering_not_finite",
      `layer ${layers[at]}: a number is ${largest(rows[at] ?? [])}; allowed: at most 3.38e38, which bfloat16 holds (infinity can spoil other requests on the server)`,
      { layer: layers[at] },
    );
  }
}

/** Refuses vectors that together may add more at a layer than bfloat16 holds. Throws `steering_not_finite`. */
export function checkStrength(vectors: readonly SteeringVector[]): void {
  const sums = new Map<number, number>();
  for (const { layers, rows, scale, normMatch } of vectors) {
    layers.forEach((layer, i) => {
      const part = Math.abs(scale) * (normMatch ? streamNorm : largest(rows[i] ?? []));
      sums.set(layer, (sums.get(layer) ?? 0) + part);
    });
  }
  for (const [layer, sum] of sums) {
    if (sum <= largestBf16) continue;
    throw new SteeringError(
      "steering_not_finite",
      `layer ${layer}: the vectors may add up to ${sum.toPrecision(3)} (|scale × v|; with normMatch scale times a stream norm of ${streamNorm}); ` +
        "allowed: at most 3.38e38, which bfloat16 holds (infinity can spoil other requests on the server)",
      { layer, sum },
    );
  }
}

/** The largest size of any number; NaN where one is NaN. */
function largest(row: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < row.length; i++) {
    const size = Math.abs(row[i] ?? 0);
    if (!(size <= most)) most = size;
    if (Number.isNaN(most)) return most;
  }
  return most;
}
