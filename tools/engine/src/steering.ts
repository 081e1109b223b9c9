import type { StreamEdit } from "./block-names.ts";
import type { ModelConfig } from "./model-config.ts";

/**
 * One steering vector: h' = h + scale·v at the output of each of its layers, or, with `normMatch`,
 * h' = h + scale·‖h‖·v / (‖v‖ + 1e-6). `rows` is [layers, positions or 1, hiddenSize]: with
 * `positions: null` the one row of a layer is added at every position; otherwise row j of a layer is
 * added at the absolute position `positions[j]` (prompt and generated tokens, the first is 0).
 */
export interface SteeringVector {
  readonly layers: readonly number[];
  readonly rows: Float32Array;
  readonly positions: readonly number[] | null;
  readonly scale: number;
  readonly normMatch: boolean;
}

interface Addition {
  readonly row: Float32Array;
  readonly position: number | null;
  readonly scale: number;
  /** The row's norm + 1e-6 for a norm-matched vector, else null. */
  readonly matched: number | null;
}

/** The additions of a request by layer, in the order of its vectors. */
export type SteeringPlan = ReadonlyMap<number, readonly Addition[]>;

const normGuard = 1e-6;

export function planSteering(vectors: readonly SteeringVector[], hiddenSize: number): SteeringPlan {
  const plan = new Map<number, Addition[]>();
  for (const { layers, rows, positions, scale, normMatch } of vectors) {
    const count = positions === null ? 1 : positions.length;
    layers.forEach((layer, l) => {
      const additions = plan.get(layer) ?? [];
      plan.set(layer, additions);
      for (let j = 0; j < count; j++) {
        const row = rows.subarray((l * count + j) * hiddenSize, (l * count + j + 1) * hiddenSize);
        const matched = normMatch ? norm(row, 0, hiddenSize) + normGuard : null;
        additions.push({ row, position: positions?.[j] ?? null, scale, matched });
      }
    });
  }
  return plan;
}

/** The same additions one by one, by layer, for the prefix cache to tell steerings apart. */
export function steeringEdits(plan: SteeringPlan): StreamEdit[] {
  return [...plan]
    .sort(([a], [b]) => a - b)
    .flatMap(([layer, additions]) =>
      additions.map(({ row, position, scale, matched }) => ({
        layer,
        position,
        kind: "steering" as const,
        numbers: [scale, matched === null ? 0 : 1],
        row,
      })),
    );
}

/**
 * Adds a layer's vectors to the stream of one token, [hiddenSize] from `at`. Every norm is that of the
 * stream before any of them, so the order of the vectors does not matter. Faults give another array as `normOf`.
 */
export function steer(
  plan: SteeringPlan,
  config: ModelConfig,
  layer: number,
  position: number,
  stream: Float32Array,
  at: number,
  normOf = stream,
): void {
  const additions = plan.get(layer);
  if (additions === undefined) return;
  const size = config.hiddenSize;
  let streamNorm = -1;
  if (additions.some((addition) => addition.matched !== null)) streamNorm = norm(normOf, at, size);
  for (const { row, position: only, scale, matched } of additions) {
    if (only !== null && only !== position) continue;
    const factor = matched === null ? scale : (scale * streamNorm) / matched;
    for (let i = 0; i < size; i++) stream[at + i]! += factor * row[i]!;
  }
}

function norm(values: Float32Array, at: number, size: number): number {
  let squares = 0;
  for (let i = 0; i < size; i++) squares += values[at + i]! ** 2;
  return Math.sqrt(squares);
}
