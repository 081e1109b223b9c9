import { dot, norm } from "../norm.ts";

/** Distance of neighbouring bfloat16 numbers, relative: two rounded rows may differ by as much where nothing changed. */
const step = 2 ** -7;
/** Further error of the vector itself: it is cast to the model's type, scaled there and added there. */
const castError = 2 ** -6;
/** How much the noise of the layer below may grow in one layer. */
const noiseGrowth = 2;

/** One row of a capture beside the same row without steering. */
export interface RowPair {
  plain: Float32Array;
  steered: Float32Array;
  /** The same rows one layer below, where steering must not show: what differs there is noise. */
  below?: { plain: Float32Array; steered: Float32Array } | undefined;
}

/** What a row shows of a change that is expected there. */
export interface RowMeasure {
  /** How often the expected change is in the seen one: ⟨seen, expected⟩ / ‖expected‖². 1 is right, 0 unsteered. */
  coefficient: number;
  /** ‖seen‖ / ‖expected‖. */
  size: number;
  /** ‖seen − expected‖ / ‖expected‖. */
  relativeError: number;
  /** Most that rounding and noise explain of the relative error. */
  allowed: number;
  /** ‖seen − coefficient · expected‖ / ‖expected‖: as small as `allowed` where only the strength is wrong. */
  shapeError: number;
}

/**
 * Compares what changed in a row with what should have. Numbers so large that their rounding alone hides the change are left out
 * (some models have a few at the first position). Rounding is bounded, not estimated; noise is read from the layer below.
 */
export function measureRow({ plain, steered, below }: RowPair, expected: Float64Array): RowMeasure {
  const rounding = plain.map((value, i) => step * Math.max(Math.abs(value), Math.abs(steered[i] ?? 0)));
  const kept = pick(rounding, norm(expected) / 4);
  const want = kept(expected);
  const was = kept(plain);
  const seen = kept(steered).map((value, i) => value - (was[i] ?? 0));
  const wanted = norm(want);
  const coefficient = dot(seen, want) / wanted ** 2;
  const noise = below === undefined ? 0 : distance(kept(below.plain), kept(below.steered)) * norm(was);
  const allowed = castError + (norm(kept(rounding)) + noiseGrowth * noise) / wanted;
  return {
    coefficient,
    size: norm(seen) / wanted,
    relativeError: norm(seen.map((value, i) => value - (want[i] ?? 0))) / wanted,
    allowed: Number.isFinite(allowed) ? allowed : Infinity,
    shapeError: norm(seen.map((value, i) => value - coefficient * (want[i] ?? 0))) / wanted,
  };
}

/** ‖a − b‖ / ‖a‖. */
export function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return norm(Array.from(a, (value, i) => value - (b[i] ?? 0))) / norm(a);
}

/** Takes the numbers whose rounding is at most `most`. */
function pick(rounding: Float32Array, most: number): (values: ArrayLike<number>) => number[] {
  const indices = Array.from(rounding.keys()).filter((i) => (rounding[i] ?? 0) <= most);
  return (values) => indices.map((i) => values[i] ?? 0);
}
