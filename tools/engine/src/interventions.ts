import type { StreamEdit } from "./block-names.ts";

/**
 * Sets the stream's coefficient along a direction, v̂ = direction / ‖direction‖, at the output of each of `layers`:
 * `ablate` takes it away, h' = h − (h·v̂) v̂ (directional ablation, Arditi et al. 2024, there at every layer and
 * position); `clamp` makes it `value`, h' = h + (value − h·v̂) v̂. At every position, or only at the absolute
 * `positions` (prompt and generated tokens, the first is 0).
 */
export type Intervention = {
  readonly layers: readonly number[];
  /** [hiddenSize], of any length but 0. */
  readonly direction: Float32Array;
  readonly positions: readonly number[] | null;
} & ({ readonly kind: "ablate" } | { readonly kind: "clamp"; readonly value: number });

interface Setting {
  readonly unit: Float64Array;
  readonly value: number;
  readonly positions: ReadonlySet<number> | null;
}

/** The interventions of a request by layer, in their order. */
export type InterventionPlan = ReadonlyMap<number, readonly Setting[]>;

export function planInterventions(interventions: readonly Intervention[]): InterventionPlan {
  const plan = new Map<number, Setting[]>();
  for (const intervention of interventions) {
    const { layers, direction, positions } = intervention;
    const setting = {
      unit: unitVector(direction),
      value: intervention.kind === "clamp" ? intervention.value : 0,
      positions: positions && new Set(positions),
    };
    for (const layer of layers) plan.set(layer, [...(plan.get(layer) ?? []), setting]);
  }
  return plan;
}

/** The same settings one by one, for the prefix cache to tell interventions apart. */
export function interventionEdits(plan: InterventionPlan): StreamEdit[] {
  return [...plan]
    .sort(([a], [b]) => a - b)
    .flatMap(([layer, settings]) =>
      settings.flatMap(({ unit, value, positions }) =>
        [...(positions ?? [null])].map((position) => ({
          layer,
          position,
          kind: "intervention" as const,
          numbers: [value],
          row: unit,
        })),
      ),
    );
}

/** Applies a layer's interventions to the stream of one token, [hiddenSize] from `at`, each to what the one before left. */
export function intervene(
  plan: InterventionPlan,
  layer: number,
  position: number,
  stream: Float32Array,
  at: number,
): void {
  for (const { unit, value, positions } of plan.get(layer) ?? []) {
    if (positions !== null && !positions.has(position)) continue;
    let coefficient = 0;
    for (let i = 0; i < unit.length; i++) coefficient += stream[at + i]! * unit[i]!;
    const change = value - coefficient;
    for (let i = 0; i < unit.length; i++) stream[at + i]! += change * unit[i]!;
  }
}

function unitVector(direction: Float32Array): Float64Array {
  const length = Math.hypot(...direction);
  return Float64Array.from(direction, (value) => value / length);
}
