import { onBackend } from "../../backend/use-backend.ts";
import { checkOptions } from "../../options/check-options.ts";
import { checkDataset } from "../../probes/check-dataset.ts";
import { layerOf, refuseOtherLayer } from "../../probes/checked-reads.ts";
import { differenceOfMeans } from "../../probes/difference-of-means.ts";
import type { Probe } from "../../probes/probe.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import type { SweepDataset } from "../../probes/sweep-rows.ts";
import type { PositionSweep } from "../../results/position-sweep.ts";
import { resultSchemaVersion } from "../../results/result-version.ts";
import { randomName } from "../../statistics/random.ts";
import { certainNote, fewGroupsNote } from "../../statistics/intervals/cluster-bootstrap.ts";
import { chosenPlaces } from "./chosen-places.ts";
import { placedRows, type PlacedRows } from "./placed-rows.ts";
import {
  positionOptionsSchema,
  type CheckedPositionOptions,
  type SweepPositionsOptions,
} from "./position-options.ts";
import { cellOf, scoreCell, type Cell } from "./score-cell.ts";

/**
 * How well a label of two classes can be read at each layer and place of the prompt: held-out AUROC, cross-validated by group, pairs of rows
 * of one fold, whole groups redrawn for the interval. Each example has one row at a place. Places are counted by position from the
 * start, or back from each example's last row, so that prompts of different lengths line up at the end that is asked for.
 * Throws ProbeError on labels, groups and positions that do not fit, InvalidRequestError.
 */
export async function sweepPositions(
  dataset: SweepDataset,
  options: SweepPositionsOptions,
): Promise<PositionSweep> {
  const checked = checkOptions(positionOptionsSchema, options, "sweepPositions options");
  checkDataset(dataset, "sweepPositions");
  const probe = checked.probe ?? differenceOfMeans();
  refuseProbe(probe, checked.folds);
  return await onBackend(() => sweep(dataset, probe, checked));
}

async function sweep(
  dataset: SweepDataset,
  probe: Probe,
  options: CheckedPositionOptions,
): Promise<PositionSweep> {
  const { label, from, folds, seed, draws, signal, onProgress } = options;
  const layers = [...(options.layers ?? dataset.layers)].sort((a, b) => a - b);
  for (const layer of layers) refuseOtherLayer(dataset, layer);
  const placed = await placedRows(dataset, options);
  const { rows } = placed;
  const { places, notes } = chosenPlaces(placed, options);
  const split = { labels: rows.labels, groupOf: rows.groupOf, folds, seed };
  const cells = places.map((place) => cellOf(place, placed.at.get(place) ?? [], split));
  const width = dataset.hiddenSize;
  const scored: PositionSweep["cells"] = [];
  for (const [i, layer] of layers.entries()) {
    const values = await layerOf(dataset, layer);
    for (const cell of cells) {
      signal?.throwIfAborted();
      const own = new Float32Array(cell.entries.length * width);
      cell.entries.forEach((entry, at) => {
        const row = rows.kept[entry]!;
        own.set(values.subarray(row * width, (row + 1) * width), at * width);
      });
      const score = await scoreCell(own, cell, { layer, width, probe, draws, seed });
      scored.push({ layer, position: cell.place, token: tokenOf(cell, placed), score });
    }
    onProgress?.({ layer, done: i + 1, total: layers.length });
  }
  return {
    schemaVersion: resultSchemaVersion,
    kind: "position-sweep",
    ...{ label, positive: rows.positive, group: rows.groupColumn, probe: probe.name, score: "auroc" },
    ...{ folds, seed, random: randomName, draws, layers, from, positions: places },
    cells: scored,
    n: placed.examples,
    groups: rows.groups,
    notes: [...placed.notes, ...notes, ...cellNotes(cells, scored, placed), ...fewGroupsNote(rows.groups)],
  };
}

/** The text where it is the same in all rows of the place. */
function tokenOf({ entries }: Cell, { tokens }: PlacedRows): string | null {
  const texts = new Set(entries.map((entry) => tokens[entry]!));
  return texts.size === 1 ? [...texts][0]! : null;
}

function cellNotes(
  cells: readonly Cell[],
  scored: PositionSweep["cells"],
  { examples }: PlacedRows,
): string[] {
  const some = cells.filter(({ entries }) => entries.length < examples);
  const fewest = Math.min(...some.map(({ entries }) => entries.length));
  const defined = scored.filter(({ score }) => score.value !== null);
  const below = defined.filter(({ score }) => score.high !== null && score.high < 0.5).length;
  return [
    ...(some.length > 0
      ? [
          `At ${some.length} of ${cells.length} positions not every example has a row (as few as ${fewest} of ${examples}): those cells compare other, mostly longer, prompts.`,
        ]
      : []),
    ...(defined.length > 1
      ? [
          `The best of ${defined.length} cells is a maximum over all of them, and higher than it will be on new data: choose a layer and position on other groups than those that it is reported on.`,
        ]
      : []),
    ...(below > 0
      ? [
          `In ${below} of ${defined.length} cells the interval lies wholly below 0.5, which is no finding: where classes are balanced by design, what held-out rows have too much of is what training rows have too little of, and a probe that knows nothing scores below chance.`,
        ]
      : []),
    ...(defined.some(({ score }) => score.value === 1) ? [certainNote] : []),
  ];
}

function refuseProbe({ name, C, target }: Probe, folds: number): void {
  if (target !== "classes")
    throw new ProbeError(
      "bad_option",
      `The probe ${name} predicts numbers, and a sweep of positions reads two classes.`,
      {
        probe: name,
      },
    );
  if (C !== null && C.length > 1 && folds < 3)
    throw new ProbeError(
      "bad_option",
      `folds is ${folds}, and the probe ${name} has ${C.length} values of C, among which inner folds choose: give at least 3 folds, or one C.`,
      { folds },
    );
}
