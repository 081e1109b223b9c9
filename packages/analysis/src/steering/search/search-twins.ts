import type { TwinComparison } from "../../results/steering-measures.ts";
import type { SteeringFrame } from "../steering-measures.ts";
import { rowsAt, type SteeringDirection, type SteeringRows } from "../steering-rows.ts";
import type { SteeringRuns } from "../steering-runs.ts";
import { compareTwins } from "../twins/measure-twins.ts";
import { randomTwins } from "../twins/random-twins.ts";
import { bestCell } from "./best-cell.ts";
import type { PromptHalves } from "./split-prompts.ts";
import type { SearchObjective } from "./search-objective.ts";

interface Half {
  frame: SteeringFrame;
  prompts: readonly number[];
}

/**
 * Random directions, one for each layer and of its norm, that search the same cells on the same prompts, and are estimated on the same others: the best
 * of many cells of a random direction is what the winner must beat, not a random direction at the winner's own cell.
 */
export async function searchTwins(
  runs: SteeringRuns,
  objective: SearchObjective,
  options: {
    directions: readonly SteeringDirection[];
    cells: readonly { layer: number; scale: number }[];
    /** The winner's gain on the other prompts, taken by `objective.mean` as the twins' are. */
    gain: number | undefined;
    count: number;
    seed: number;
    halves: Record<keyof PromptHalves, Half>;
  },
): Promise<TwinComparison> {
  const { directions, cells, halves, count, seed } = options;
  const own: SteeringRows = new Map(directions.flatMap((direction) => [...rowsAt(direction)]));
  const twins = randomTwins(own, { count, seed });
  const condition = (
    twin: SteeringRows,
    { layer, scale }: { layer: number; scale: number },
    { prompts }: Half,
  ) => ({
    rows: new Map([[layer, twin.get(layer)!]]),
    scale,
    prompts,
    damage: false,
    logprobs: true,
  });
  const { choose, estimate } = halves;
  const tried = await runs.run(twins.flatMap((twin) => cells.map((cell) => condition(twin, cell, choose))));
  const best = twins.map((_, t) => {
    const gains = cells.map((_, c) => objective.mean(choose.frame, tried[t * cells.length + c]!));
    return cells[bestCell(cells, gains, objective.rounding) ?? 0]!;
  });
  const estimated = await runs.run(twins.map((twin, t) => condition(twin, best[t]!, estimate)));
  return compareTwins(estimate.frame, objective.metric, {
    direction: options.gain,
    twins: estimated.map((run) => objective.mean(estimate.frame, run)),
    signed: true,
    rounding: objective.rounding,
  });
}
