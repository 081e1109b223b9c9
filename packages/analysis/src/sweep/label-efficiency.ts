import { z } from "zod";
import { onBackend } from "../backend/use-backend.ts";
import { drawSummary } from "../controls/draw-summary.ts";
import { checkOptions } from "../options/check-options.ts";
import { layerOf } from "../probes/checked-reads.ts";
import type { Probe } from "../probes/probe.ts";
import { ProbeError } from "../probes/probe-error.ts";
import { probeMatrix, type ProbeMatrix } from "../probes/probe-matrix.ts";
import { rowChoiceSchema, type RowChoice } from "../probes/row-choice.ts";
import type { LabelValue, SweepDataset } from "../probes/sweep-rows.ts";
import { labelValueSchema } from "../results/label-value.ts";
import type { LabelEfficiency } from "../results/label-efficiency.ts";
import { resultSchemaVersion } from "../results/result-version.ts";
import { createRandom, randomName } from "../statistics/random.ts";
import { defaultProbes } from "./default-probes.ts";
import { sweepCandidates } from "./sweep-candidates.ts";
import { probeSchema } from "./sweep-options.ts";
import { planOfFolds, sweepPlan, type SweepPlan } from "./sweep-plan.ts";
import { holdsAll, scoreMetric, scoreNames, sweepTarget, type SweepRows } from "./sweep-target.ts";
import { sweptProbe } from "./swept-probe.ts";

export interface LabelEfficiencyOptions {
  label: string;
  positive?: LabelValue;
  /** Default: `group`, else `example` (one row each). */
  group?: string;
  layer: number;
  where?: RowChoice;
  /** Default: logistic regression with C chosen on inner folds; of numbers ridge regression. */
  probe?: Probe;
  /** Labelled groups to train on, choice of C included. Default: 8, 16, 32, … and all. */
  sizes?: readonly number[];
  /** Draws of groups for each size (default 10). */
  repeats?: number;
  folds?: number;
  seed?: number;
}

const optionsSchema = z.strictObject({
  label: z.string().min(1),
  positive: labelValueSchema.optional(),
  group: z.string().min(1).optional(),
  layer: z.int().min(-1),
  where: rowChoiceSchema.optional(),
  probe: probeSchema.optional(),
  sizes: z.array(z.int().min(2)).min(1).optional(),
  repeats: z.int().min(1).max(1000).default(10),
  folds: z.int().min(3).max(255).default(5),
  seed: z.number().default(0),
});

/**
 * The score by how many groups are labelled: for each size groups are drawn, C is chosen and the probe fitted on them alone, and the score is
 * that of all rows of the outer folds. Within a repeat a larger draw holds the smaller ones.
 * Throws ProbeError on labels and groups as sweeps do, InvalidRequestError.
 */
export async function labelEfficiency(
  dataset: SweepDataset,
  options: LabelEfficiencyOptions,
): Promise<LabelEfficiency> {
  const checked = checkOptions(optionsSchema, options, "label efficiency options");
  return await onBackend(() => measure(dataset, checked));
}

async function measure(
  dataset: SweepDataset,
  options: z.output<typeof optionsSchema>,
): Promise<LabelEfficiency> {
  const { label, layer, folds, seed, repeats, probe: asked } = options;
  const rows = await sweepTarget(dataset, { ...options, probes: asked && [asked] });
  const probe = asked ?? defaultProbes(rows.task).at(-1)!;
  const plan = sweepPlan(rows, options);
  const groupsOfFold = foldGroups(rows, plan);
  const most = rows.groups - Math.max(...groupsOfFold.map((groups) => groups.length));
  const sizes = checkedSizes(options.sizes, { folds, most, all: rows.groups });
  const width = dataset.hiddenSize;
  const all = await layerOf(dataset, layer);
  const values = new Float32Array(rows.kept.length * width);
  rows.kept.forEach((row, i) => values.set(all.subarray(row * width, (row + 1) * width), i * width));
  const matrix = probeMatrix(values, width);
  try {
    const points: LabelEfficiency["points"] = [];
    const orders = Array.from({ length: repeats }, (_, repeat) => {
      const random = createRandom(seed, `label efficiency ${repeat}`);
      return dealt(
        random.shuffle(groupsOfFold.map((groups) => random.shuffle([...groups]))),
        Math.max(...groupsOfFold.map((groups) => groups.length)),
      );
    });
    for (const size of sizes) {
      const draws = orders.map((order) => drawGroups(order, { size, rows, plan }));
      const scores: (number | null)[] = [];
      for (const { without } of draws) scores.push(await scoreWith(matrix, { without, rows, plan, probe }));
      const mean = (of: (draw: (typeof draws)[number]) => number) =>
        draws.reduce((sum, draw) => sum + of(draw), 0) / draws.length;
      points.push({
        groups: mean((draw) => draw.groups),
        rows: mean((draw) => draw.rows),
        score: drawSummary(scores, "in every draw a training set lacked a class, or a fit did not converge"),
      });
    }
    return {
      schemaVersion: resultSchemaVersion,
      kind: "label-efficiency",
      ...{ label, layer, probe: probe.name, score: scoreNames[rows.task] },
      split:
        `${folds} outer folds of whole groups (column ${rows.groupColumn}); of the others' groups so many are drawn as labelled, from each fold alike; C chosen and ` +
        "the probe fitted on them alone; scored on all rows of the outer folds; mean and middle 95 % over draws",
      ...{ folds, repeats, seed, random: randomName, n: rows.labels.length, groups: rows.groups },
      points,
      notes: rows.notes,
    };
  } finally {
    matrix.dispose();
  }
}

function foldGroups(rows: SweepRows, { foldOf, folds }: SweepPlan): number[][] {
  const groups = Array.from({ length: folds }, () => new Set<number>());
  rows.groupOf.forEach((group, row) => groups[foldOf[row]!]!.add(group));
  return groups.map((own) => [...own]);
}

/** One group of each fold in turn, as long as a fold has one: the first so many are as even over folds as can be. */
function dealt(groupsOfFold: readonly (readonly number[])[], rounds: number): number[] {
  return Array.from({ length: rounds }, (_, round) =>
    groupsOfFold.flatMap((groups) => groups.slice(round, round + 1)),
  ).flat();
}

/** Each fold needs a labelled group, and every training set has at least `most`; of all groups they have as many on average as a fold leaves. */
function checkedSizes(
  asked: readonly number[] | undefined,
  { folds, most, all }: { folds: number; most: number; all: number },
): number[] {
  const least = folds - 1;
  if (asked === undefined) {
    const doubled = Array.from({ length: 30 }, (_, k) => 8 * 2 ** k).filter(
      (size) => size >= least && size < most,
    );
    return [...doubled, (all * least) / folds];
  }
  const wrong = asked.find((size) => size < least || size > most);
  if (wrong === undefined) return [...new Set(asked)].sort((a, b) => a - b);
  throw new ProbeError(
    "too_few_groups",
    `sizes asks for ${wrong} labelled groups: ${folds} folds need at least ${least}, and training sets here have at most ${most}.`,
    { size: wrong, least, most },
  );
}

/** Marks the rows whose labels are as if unknown. */
function drawGroups(
  order: readonly number[],
  { size, rows, plan }: { size: number; rows: SweepRows; plan: SweepPlan },
): { without: Uint8Array; groups: number; rows: number } {
  // Each outer fold's probe is given the labelled groups of the other folds.
  const labelled = new Set(order.slice(0, Math.round((size * plan.folds) / (plan.folds - 1))));
  const without = Uint8Array.from(rows.groupOf, (group) => (labelled.has(group) ? 0 : 1));
  const known = without.length - without.reduce((sum, one) => sum + one, 0);
  // Of the labelled groups each outer fold's probe is given all but those of its own fold.
  const share = (plan.folds - 1) / plan.folds;
  return { without, groups: labelled.size * share, rows: known * share };
}

async function scoreWith(
  matrix: ProbeMatrix,
  { without, rows, plan, probe }: { without: Uint8Array; rows: SweepRows; plan: SweepPlan; probe: Probe },
): Promise<number | null> {
  const own = planOfFolds(plan.foldOf, plan.folds, without);
  const sets = [...own.outer, ...own.pairs.map((pair) => pair.rows)];
  if (!sets.every(({ included }) => holdsAll(rows, rows.labels, included))) return null;
  const candidates = await sweepCandidates(matrix, {
    name: "Labelled groups",
    target: rows,
    plan: own,
    probes: [probe],
  });
  const found = sweptProbe(candidates, { target: rows, plan: own });
  if (!found) return null;
  const { scores } = found.heldOut;
  return scoreMetric(rows).prepare({ scores, labels: rows.labels, strata: plan.foldOf }).value();
}
