import type { SteeredScale } from "../../results/steering-evaluation.ts";
import { measureScale, type SteeringFrame } from "../steering-measures.ts";
import { rowsAt, type SteeringDirection } from "../steering-rows.ts";
import type { SteeringRun, SteeringRuns } from "../steering-runs.ts";

/** One cell of the grid as it was tried. */
export interface TriedCell {
  layer: number;
  scale: number;
  run: SteeringRun;
  measured: SteeredScale;
}

/** A side of a layer that ended at damage. */
export interface StoppedSide {
  layer: number;
  scale: number;
  damage: string[];
  untried: number[];
}

/**
 * Each side of each layer, outward from 0 and all in step, until a scale does damage: what lies beyond is not tried, even if it would pass, since
 * the largest scale that passes is chosen by luck.
 */
export async function searchGrid(
  runs: SteeringRuns,
  frame: SteeringFrame,
  {
    directions,
    scales,
    prompts,
  }: { directions: readonly SteeringDirection[]; scales: readonly number[]; prompts: readonly number[] },
): Promise<{ cells: TriedCell[]; stopped: StoppedSide[] }> {
  const outward = [...scales].sort((a, b) => Math.abs(a) - Math.abs(b));
  let sides = directions.flatMap((direction) =>
    [-1, 1]
      .map((side) => ({ direction, left: outward.filter((scale) => scale * side > 0) }))
      .filter(({ left }) => left.length > 0),
  );
  const cells: TriedCell[] = [];
  const stopped: StoppedSide[] = [];
  while (sides.length > 0) {
    const found = await runs.run(
      sides.map(({ direction, left }) => ({
        rows: rowsAt(direction),
        scale: left[0]!,
        prompts,
        damage: true,
        logprobs: true,
      })),
    );
    sides = sides.flatMap(({ direction, left }, i) => {
      const [scale, ...untried] = left as [number, ...number[]];
      const { layer } = direction;
      const measured = measureScale(frame, scale, found[i]!);
      cells.push({ layer, scale, run: found[i]!, measured });
      if (measured.damage.length > 0) {
        stopped.push({ layer, scale, damage: measured.damage, untried });
        return [];
      }
      return untried.length > 0 ? [{ direction, left: untried }] : [];
    });
  }
  const inOrder = (a: { layer: number; scale: number }, b: typeof a) =>
    a.layer - b.layer || a.scale - b.scale;
  return { cells: cells.sort(inOrder), stopped: stopped.sort(inOrder) };
}
