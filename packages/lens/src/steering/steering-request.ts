import type { LensProfile } from "../profiles/lens-profile.ts";
import { checkRange, checkStrength } from "./check-strength.ts";
import { SteeringError } from "./steering-error.ts";
import type { SteeringVector } from "./steering-vector.ts";

/** Most vectors, and most numbers in all, that a request may steer with. Source: Create Completion Job. */
export const steeringLimits = { vectors: 8, numbers: 2_097_152 } as const;

/** What is known of the request that the vectors go into. */
export interface SteeringTarget {
  /** undefined: not known; a width that only a limit assumes is not known. */
  hiddenSize: number | undefined;
  layers: number | undefined;
  /** Most positions that the request can run: prompt + generated − 1. */
  positions: number;
  /** Default: those of the hosted API. */
  limits?: Pick<LensProfile["limits"], "steeringVectors" | "steeringNumbers"> | undefined;
}

/** Numbers that a vector counts for: layers × positions × width. */
export function steeringNumbers({ layers, positions, width }: SteeringVector): number {
  return layers.length * (positions?.length ?? 1) * width;
}

/** Refuses what a server would refuse, or would take and silently not do. Throws SteeringError. */
export function checkSteering(vectors: readonly SteeringVector[], target: SteeringTarget): void {
  const most = target.limits?.steeringVectors ?? steeringLimits.vectors;
  if (vectors.length > most) {
    throw new SteeringError(
      "steering_too_many",
      `${vectors.length} steering vectors given; allowed: at most ${most}; ` +
        "vectors without normMatch at the same positions may be added into one",
      { vectors: vectors.length, limit: most },
    );
  }
  checkNumbers(vectors, target.limits?.steeringNumbers ?? steeringLimits.numbers);
  for (const [i, vector] of vectors.entries()) checkVector(vector, i, target);
  checkRun(vectors, target.positions);
  vectors.forEach(checkRange);
  checkStrength(vectors);
}

function checkNumbers(vectors: readonly SteeringVector[], limit: number): void {
  const numbers = vectors.map(steeringNumbers).reduce((a, b) => a + b, 0);
  if (numbers <= limit) return;
  const sums = vectors.map(
    ({ layers, positions, width }) =>
      `${layers.length} layers × ${positions?.length ?? 1} positions × ${width}`,
  );
  const [only, ...others] = vectors;
  const fits =
    only !== undefined && others.length === 0
      ? `would fit: ${wouldFit(only, limit)}`
      : "steer fewer layers or positions, or with fewer vectors";
  throw new SteeringError(
    "steering_too_large",
    `${sums.join(" + ")} = ${numbers} numbers, over the ${limit} that steering vectors may hold in all; ${fits}`,
    { numbers, limit },
  );
}

/** What of one vector would be within the limit. */
function wouldFit({ layers, positions, width }: SteeringVector, limit: number): string {
  const rows = Math.floor(limit / width);
  const places = positions?.length ?? 1;
  const some = [
    [Math.floor(rows / places), layers.length, "layers"],
    [positions === null ? 0 : Math.floor(rows / layers.length), places, "positions"],
  ] as const;
  const options = some.filter(([fit]) => fit > 0).map(([fit, all, what]) => `${fit} of ${all} ${what}`);
  if (options.length > 0) return options.join(", or ");
  return rows > 0 ? `${rows} rows (layers × positions)` : `no row of ${width} numbers`;
}

function checkVector({ layers, width }: SteeringVector, i: number, target: SteeringTarget): void {
  if (target.hiddenSize !== undefined && width !== target.hiddenSize) {
    throw new SteeringError(
      "steering_width",
      `steering vector ${i} has ${width} numbers a row, and the model's hidden size is ${target.hiddenSize}; a server may take this with a 200 and steer nothing`,
      { width, hiddenSize: target.hiddenSize },
    );
  }
  const beyond = layers.find((layer) => target.layers !== undefined && layer >= target.layers);
  if (beyond !== undefined) {
    throw new SteeringError(
      "steering_layer",
      `steering vector ${i} has layer ${beyond}; allowed: 0 to ${(target.layers ?? 0) - 1}`,
    );
  }
}

/** Refuses positions that a request does not run, which is `positions` of them at most. Throws `steering_positions`. */
export function checkRun(vectors: readonly SteeringVector[], positions: number): void {
  for (const [i, vector] of vectors.entries()) {
    const late = vector.positions?.find((position) => position >= positions);
    if (late === undefined) continue;
    throw new SteeringError(
      "steering_positions",
      `steering vector ${i} has position ${late}; this request runs at most positions 0 to ${positions - 1}, so nothing would be steered there`,
      { position: late, positions },
    );
  }
}
