import { z } from "zod";
import { onBackend } from "../../backend/use-backend.ts";
import { checkOptions } from "../../options/check-options.ts";
import type { Estimate } from "../../results/estimate.ts";
import type { Inlp } from "../../results/inlp.ts";
import { resultSchemaVersion } from "../../results/result-version.ts";
import { rankScores } from "../../statistics/metrics/ranked-scores.ts";
import { clusterBootstrap } from "../../statistics/intervals/cluster-bootstrap.ts";
import { groupFolds, indexGroups } from "../../statistics/group-folds.ts";
import { createRandom } from "../../statistics/random.ts";
import { checkDataset } from "../check-dataset.ts";
import { columnOf, layerOf, refuseOtherLayer } from "../checked-reads.ts";
import { ProbeError } from "../probe-error.ts";
import { chosenRows, type RowChoice, rowChoiceSchema } from "../row-choice.ts";
import { plainLabel } from "../label-values.ts";
import { isKnown, type LabelValue, type SweepDataset } from "../sweep-rows.ts";
import { refuseRows } from "../trained/trained-probe.ts";
import { trainingLabels } from "../trained/training-labels.ts";
import { type Eraser, sealedEraser } from "./eraser.ts";
import { classTargets, inlpRound } from "./inlp-round.ts";
import { Nullspace } from "./nullspace.ts";

const draws = 500;

export interface InlpOptions {
  /** Column of the concept: two or more classes. Rows without a value are left out. */
  label: string;
  layer: number;
  /** Column of rows that must not be parted. Default: `group`, else `example`. */
  group?: string;
  /** The rows to fit on, by row number or by columns' values: leave out those that the erasure will be judged by. */
  where?: RowChoice;
  /** Default: 1. */
  C?: number;
  /** Rounds of projections at most. Default: 20. */
  rounds?: number;
  /** Default: 5. */
  folds?: number;
  /** Default: 0. */
  seed?: number;
}

const optionsSchema = z.strictObject({
  label: z.string().min(1),
  layer: z.int().min(-1),
  group: z.string().min(1).optional(),
  where: rowChoiceSchema.optional(),
  C: z.number().positive().default(1),
  rounds: z.int().min(1).max(1000).default(20),
  folds: z.int().min(2).max(255).default(5),
  seed: z.int().min(0).default(0),
});

/**
 * Iterative nullspace projection (Ravfogel et al. 2020, arXiv:2004.07667): logistic probes are fitted and their directions projected out,
 * round by round, until held-out groups are told no better than by chance (the 95 % interval of their AUROC over groups holds 0.5). Each
 * fold projects out what it learnt from its own training rows alone; the eraser is that of all rows. Throws ProbeError (`one_class`,
 * `too_few_groups`, `group_required`, `not_converged`, …) and InvalidRequestError.
 */
export async function inlp(
  dataset: Pick<SweepDataset, "rows" | "layers" | "hiddenSize" | "columns" | "column" | "layer">,
  options: InlpOptions,
): Promise<{ result: Inlp; eraser: Eraser }> {
  const settings = checkOptions(optionsSchema, options, "inlp options");
  checkDataset(dataset, "inlp");
  const rows = await conceptRows(dataset, settings);
  const { label, layer, C, folds, seed } = settings;
  const { values, width, targets, classes, groupOf, group } = rows;
  const count = targets.length;
  const foldOf = groupFolds({ groups: groupOf, labels: targets, folds, seed });
  const spaces = Array.from({ length: folds + 1 }, () => new Nullspace(values, width));
  const whole = spaces[folds]!;
  const rounds: Inlp["rounds"] = [];
  let stopped: Inlp["stopped"] | undefined;
  await onBackend(async () => {
    for (let round = 0; !stopped; round++) {
      const held = classTargets(targets, classes.length).map(() => new Float64Array(count));
      const taken: Float64Array[][] = [];
      for (let fold = 0; fold <= folds; fold++) {
        const included = Uint8Array.from(foldOf, (own) => (own === fold ? 0 : 1));
        const fit = await inlpRound(spaces[fold]!, { targets, classes: classes.length, included, C });
        taken.push(fit.directions);
        fit.scores.forEach((scores, k) =>
          scores.forEach((score, row) => foldOf[row] === fold && (held[k]![row] = score)),
        );
      }
      const auroc = heldOutAuroc(held, { ...rows, foldOf, seed });
      rounds.push({ rank: whole.basis.length, auroc });
      if (auroc.low === null || auroc.low <= 0.5) stopped = "chance";
      else if (round === settings.rounds) stopped = "rounds";
      else if (taken.map((directions, i) => spaces[i]!.take(directions)).at(-1) === 0)
        stopped = "nothing-left";
    }
  });
  const eraser = sealedEraser({
    schemaVersion: resultSchemaVersion,
    kind: "eraser",
    method: "inlp",
    formula: `row − U Uᵀ row, U an orthonormal basis of the directions of ${rounds.length - 1} rounds of logistic probes (C = ${C})`,
    ...{ layer, label, width, rows: count },
    classes: [...classes],
    center: null,
    left: whole.basis.map((vector) => [...vector]),
    right: whole.basis.map((vector) => [...vector]),
  });
  const result: Inlp = {
    schemaVersion: resultSchemaVersion,
    kind: "inlp",
    ...{ label, layer, group, folds, C, seed, rounds },
    stopped: stopped!,
    eraser: eraser.toJSON(),
  };
  return { result, eraser };
}

async function conceptRows(
  dataset: Parameters<typeof inlp>[0],
  {
    label,
    layer,
    where,
    ...options
  }: {
    label: string;
    layer: number;
    group?: string | undefined;
    where?: RowChoice | undefined;
  },
) {
  refuseOtherLayer(dataset, layer);
  const group = options.group ?? ["group", "example"].find((name) => dataset.columns.includes(name));
  if (group === undefined) {
    throw new ProbeError(
      "group_required",
      "The dataset has no column group or example: name the group column with the option group.",
    );
  }
  const column = await columnOf(dataset, label);
  const picked = await chosenRows(dataset, where);
  const of = picked.map((row) => plainLabel(column[row]));
  // Which of two classes counts as positive changes no projection.
  const distinct = new Set(of.filter(isKnown));
  const [known] = distinct;
  const read = trainingLabels(of, {
    name: label,
    target: "classes",
    ...(distinct.size === 2 ? { positive: known as LabelValue } : {}),
  });
  const width = dataset.hiddenSize;
  const layerValues = await layerOf(dataset, layer);
  const kept = Array.from(read.kept, (i) => picked[i]!);
  const values = new Float32Array(kept.length * width);
  kept.forEach((row, at) => values.set(layerValues.subarray(row * width, (row + 1) * width), at * width));
  const numberOf = (place: number) => kept[place]!;
  refuseRows(values, width, numberOf);
  const names = await columnOf(dataset, group);
  const { index, count } = indexGroups(
    kept.map((row) => names[row]),
    numberOf,
  );
  const classes = read.classes ?? ([...distinct].reverse() as LabelValue[]);
  return { values, width, targets: read.targets, classes, groupOf: index, groups: count, group };
}

/** Macro AUROC over classes of rows scored by the fold that did not see them, with its interval over groups. */
function heldOutAuroc(
  scores: readonly Float64Array[],
  rows: {
    targets: Float64Array;
    classes: readonly unknown[];
    foldOf: Uint8Array;
    groupOf: Uint32Array;
    groups: number;
    seed: number;
  },
): Estimate {
  const { targets, classes, foldOf, groupOf, groups, seed } = rows;
  const ranked = classTargets(targets, classes.length).map((labels, k) =>
    // Folds are scored by different probes, which have no common scale.
    rankScores({ scores: scores[k]!, labels, strata: foldOf, unit: groupOf }),
  );
  const macro = (weights?: ArrayLike<number>): number | null => {
    const each = ranked.map((one) => one.auroc(weights));
    const defined = each.filter((value) => value !== null);
    return defined.length < each.length
      ? null
      : defined.reduce((sum, value) => sum + value, 0) / defined.length;
  };
  const random = createRandom(seed, "inlp bootstrap");
  const { low, high, undefinedDraws } = clusterBootstrap({ groups, draws, random }, macro);
  const value = macro();
  const found = { value, low, high, n: targets.length, groups, undefinedDraws };
  return value !== null && low !== null
    ? found
    : { ...found, reason: "a class has no held-out row in some draws" };
}
