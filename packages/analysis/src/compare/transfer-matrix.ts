import { z } from "zod";
import { onBackend } from "../backend/use-backend.ts";
import { checkOptions } from "../options/check-options.ts";
import { columnOf, layerOf } from "../probes/checked-reads.ts";
import { logistic } from "../probes/logistic/logistic.ts";
import type { Probe, ProbeFit } from "../probes/probe.ts";
import { ProbeError } from "../probes/probe-error.ts";
import { scoreRows } from "../probes/probe-fit.ts";
import { probeMatrix, type ProbeMatrix } from "../probes/probe-matrix.ts";
import { rowChoiceSchema, type RowChoice } from "../probes/row-choice.ts";
import type { LabelValue, SweepDataset } from "../probes/sweep-rows.ts";
import { labelValueSchema } from "../results/label-value.ts";
import { resultSchemaVersion } from "../results/result-version.ts";
import type { TransferCell, TransferMatrix } from "../results/transfer-matrix.ts";
import { randomName } from "../statistics/random.ts";
import { estimateMetric } from "../statistics/metrics/estimate-metric.ts";
import { metricRows } from "../sweep/held-out-metrics.ts";
import { sweepCandidates } from "../sweep/sweep-candidates.ts";
import { probeSchema } from "../sweep/sweep-options.ts";
import { sweepPlan, type SweepPlan } from "../sweep/sweep-plan.ts";
import { scoreMetric, sweepTarget, type SweepRows } from "../sweep/sweep-target.ts";
import { sweptProbe, type SweptProbe } from "../sweep/swept-probe.ts";

export interface TransferOptions {
  label: string;
  positive?: LabelValue;
  /** Default: `group`, else `example` (one row each). */
  group?: string;
  layer: number;
  where?: RowChoice;
  /** Default: logistic regression, C chosen on the training dataset. */
  probe?: Probe;
  /** Folds of the diagonal and of the choice of C (default 5). */
  folds?: number;
  /** Bootstrap draws (default 1000). */
  draws?: number;
  seed?: number;
  /** Groups in both datasets: an error (default), or their rows are left out of training. */
  shared?: "refuse" | "leave-out";
}

const optionsSchema = z.strictObject({
  label: z.string().min(1),
  positive: labelValueSchema.optional(),
  group: z.string().min(1).optional(),
  layer: z.int().min(-1),
  where: rowChoiceSchema.optional(),
  probe: probeSchema.optional(),
  folds: z.int().min(3).max(255).default(5),
  draws: z.int().min(1).default(1000),
  seed: z.number().default(0),
  shared: z.enum(["refuse", "leave-out"]).default("refuse"),
});
type Options = z.output<typeof optionsSchema> & { probe: Probe };

const datasetsSchema = z
  .record(
    z.string().min(1),
    z.custom<SweepDataset>(
      (given) => typeof (given as Partial<SweepDataset> | null)?.layer === "function",
      "a dataset or a view",
    ),
  )
  .refine((given) => Object.keys(given).length >= 2, "at least two datasets by name");

/**
 * Every dataset's probe scored on every dataset, given by name. Off the diagonal a probe is fitted on all rows of one (C chosen by its inner
 * folds) and scored on the other; the diagonal is a nested cross-validation. Throws ProbeError `shared_groups` where both
 * datasets hold rows of one group, and as sweeps do; InvalidRequestError.
 */
export async function transferMatrix(
  datasets: Readonly<Record<string, SweepDataset>>,
  options: TransferOptions,
): Promise<TransferMatrix> {
  checkOptions(datasetsSchema, datasets, "transfer datasets", "datasets");
  const checked = checkOptions(optionsSchema, options, "transfer options");
  const probe = checked.probe ?? logistic({ C: [1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2] });
  return await onBackend(() => transfer(datasets, { ...checked, probe }));
}

/** One dataset, read. */
interface Side {
  name: string;
  rows: SweepRows;
  plan: SweepPlan;
  /** `[rows, width]`, of the kept rows. */
  values: Float32Array;
  /** Value of the group column in each kept row. */
  groupNames: unknown[];
}

async function transfer(
  datasets: Readonly<Record<string, SweepDataset>>,
  options: Options,
): Promise<TransferMatrix> {
  const { label, layer, probe, folds, seed, draws } = options;
  const sides: Side[] = [];
  for (const [name, dataset] of Object.entries(datasets)) sides.push(await readSide(name, dataset, options));
  refuseOtherWidths(datasets);
  const cells: TransferCell[] = [];
  for (const train of sides) cells.push(...(await cellsOf(train, sides, options)));
  const left = cells.filter(({ leftOut }) => leftOut > 0);
  return {
    schemaVersion: resultSchemaVersion,
    kind: "transfer-matrix",
    ...{ label, layer, probe: probe.name, score: probe.target === "number" ? "r2" : "auroc" },
    ...{ folds, seed, random: randomName, draws },
    datasets: sides.map(({ name, rows }) => ({ name, n: rows.labels.length, groups: rows.groups })),
    cells,
    notes: [
      ...sides.flatMap(({ name, rows }) => rows.notes.map((note) => `${name}: ${note}`)),
      ...left.map(
        ({ train, test, leftOut }) =>
          `${train} to ${test}: ${leftOut} rows of ${train} were left out of training, since their groups are in ${test} too.`,
      ),
    ],
  };
}

async function readSide(name: string, dataset: SweepDataset, options: Options): Promise<Side> {
  const { layer, probe, label } = options;
  const rows = await sweepTarget(dataset, { ...options, probes: [probe] });
  if (rows.task === "classes") {
    throw new ProbeError(
      "bad_label",
      `Label ${label} of ${name} has ${rows.columns} values: name one with positive, or choose two with where.`,
      {
        dataset: name,
      },
    );
  }
  const width = dataset.hiddenSize;
  const all = await layerOf(dataset, layer);
  const values = new Float32Array(rows.kept.length * width);
  rows.kept.forEach((row, i) => values.set(all.subarray(row * width, (row + 1) * width), i * width));
  const groups = await columnOf(dataset, rows.groupColumn);
  return {
    name,
    rows,
    plan: sweepPlan(rows, options),
    values,
    groupNames: Array.from(rows.kept, (row) => groups[row]),
  };
}

function refuseOtherWidths(datasets: Readonly<Record<string, SweepDataset>>): void {
  const [first, ...others] = Object.entries(datasets).map(([name, { hiddenSize }]) => ({ name, hiddenSize }));
  const other = others.find(({ hiddenSize }) => hiddenSize !== first!.hiddenSize);
  if (!other) return;
  throw new ProbeError(
    "wrong_width",
    `${first!.name} has rows of ${first!.hiddenSize} numbers and ${other.name} of ${other.hiddenSize}: a probe of one cannot score the other.`,
    { widths: [first!.hiddenSize, other.hiddenSize] },
  );
}

/** A row of the matrix: one training dataset, scored on every one. */
async function cellsOf(train: Side, sides: readonly Side[], options: Options): Promise<TransferCell[]> {
  const { probe, draws, seed } = options;
  const { rows, plan } = train;
  const matrix = probeMatrix(train.values, train.values.length / rows.labels.length);
  try {
    const candidates = await sweepCandidates(matrix, {
      name: train.name,
      target: rows,
      plan,
      probes: [probe],
    });
    const found = sweptProbe(candidates, { target: rows, plan });
    if (!found) {
      const fault = candidates.flatMap(({ faults }) => faults)[0] ?? "";
      throw new ProbeError("not_converged", `No fit on ${train.name} can be scored. ${fault}`.trim());
    }
    const cells: TransferCell[] = [];
    for (const test of sides) {
      const diagonal = test === train;
      const { fit, trained, leftOut } = diagonal
        ? { fit: undefined, trained: rows.labels.length, leftOut: 0 }
        : await fitFor(matrix, { train, test, found, options });
      const scores = fit ? scoreRows(fit, test.values) : found.heldOut.scores;
      const foldOf = diagonal ? plan.foldOf : new Uint8Array(scores.length);
      const { C } = found.best;
      cells.push({
        ...{ train: train.name, test: test.name, diagonal },
        score: estimateMetric(scoreMetric(rows), metricRows(scores, test.rows, { foldOf }), { draws, seed }),
        ...(C === undefined ? {} : { C }),
        ...{ trained, leftOut },
      });
    }
    return cells;
  } finally {
    matrix.dispose();
  }
}

/** The probe on the training rows whose groups the other dataset has not. */
async function fitFor(
  matrix: ProbeMatrix,
  { train, test, found, options }: { train: Side; test: Side; found: SweptProbe; options: Options },
): Promise<{ fit: ProbeFit; trained: number; leftOut: number }> {
  const others = new Set(test.groupNames);
  const included = Uint8Array.from(train.groupNames, (name) => (others.has(name) ? 0 : 1));
  const trained = included.reduce((sum, one) => sum + one, 0);
  const leftOut = included.length - trained;
  if (leftOut > 0 && options.shared === "refuse") {
    const [example] = train.groupNames.filter((name) => others.has(name));
    throw new ProbeError(
      "shared_groups",
      `${leftOut} of ${included.length} rows of ${train.name} are of groups that ${test.name} has too (${JSON.stringify(example)}, say), so a score on them is no transfer. ` +
        'Leave them out with shared: "leave-out", or name groups apart if they are not the same.',
      { train: train.name, test: test.name, rows: leftOut },
    );
  }
  const labels = new Set(train.rows.labels.filter((_, row) => included[row]));
  if (labels.size < 2) {
    throw new ProbeError(
      "shared_groups",
      `${leftOut} of ${included.length} rows of ${train.name} are of groups that ${test.name} has too, and without them ${trained} rows of ${labels.size} label value are left: nothing can be fitted on those.`,
      { train: train.name, test: test.name, rows: leftOut },
    );
  }
  const [fit] = await options.probe.fitAt(
    matrix,
    [{ training: { included }, labels: train.rows.labels }],
    found.best.C,
  );
  if (fit!.converged) return { fit: fit!, trained, leftOut };
  throw new ProbeError(
    "not_converged",
    `The probe ${options.probe.name} on ${train.name} did not converge.`,
    {
      train: train.name,
    },
  );
}
