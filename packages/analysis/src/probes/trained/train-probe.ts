import { onBackend } from "../../backend/use-backend.ts";
import { resultSchemaVersion } from "../../results/result-version.ts";
import { indexGroups } from "../../statistics/group-folds.ts";
import { columnOf, layerOf, refuseOtherLayer } from "../checked-reads.ts";
import { oneStrength } from "../one-strength.ts";
import type { Probe } from "../probe.ts";
import { ProbeError } from "../probe-error.ts";
import { chosenRows } from "../row-choice.ts";
import type { SweepDataset } from "../sweep-rows.ts";
import type { ProbeTrainer, TrainedParts, TrainingData } from "./probe-trainer.ts";
import { refuseRows, sealedProbe, type TrainedProbe } from "./trained-probe.ts";
import { trainColumns } from "./train-columns.ts";
import { trainingLabels, type TrainingLabels } from "./training-labels.ts";
import { weighedLabels } from "./weighed-labels.ts";
import {
  checkDatasetOptions,
  checkRowsOptions,
  type RawTrainingRows,
  type TrainProbeOptions,
  type TrainRowsOptions,
} from "./training-options.ts";

/** A dataset, a view, or arrays of your own; `lineage` tells the model of the rows, where it is known. */
export interface TrainingDataset extends SweepDataset {
  readonly lineage?: { readonly about: { readonly model?: string | null } };
}

/**
 * Trains one probe on one layer of a dataset or a view. Throws ProbeError (`one_class`, `no_rows`, `bad_label`, `not_finite`,
 * `wrong_width`, `not_converged` with gradient norm and iterations, …), InvalidRequestError for options that are not known.
 */
export async function trainProbe(dataset: TrainingDataset, options: TrainProbeOptions): Promise<TrainedProbe>;
/** The same on rows in memory. */
export async function trainProbe(rows: RawTrainingRows, options: TrainRowsOptions): Promise<TrainedProbe>;
export async function trainProbe(
  given: TrainingDataset | RawTrainingRows,
  options: TrainProbeOptions | TrainRowsOptions,
): Promise<TrainedProbe> {
  if (isRawRows(given)) return await trainOnRows(given, checkRowsOptions(given, options));
  return await trainOnDataset(given, checkDatasetOptions(given, options));
}

function isRawRows(given: TrainingDataset | RawTrainingRows): given is RawTrainingRows {
  return typeof given === "object" && (given as unknown) !== null && "values" in given;
}

async function trainOnDataset(dataset: TrainingDataset, options: TrainProbeOptions): Promise<TrainedProbe> {
  const { layer, label, where, probe } = options;
  refuseOtherLayer(dataset, layer);
  const column = await columnOf(dataset, label);
  const rows = await chosenRows(dataset, where);
  const labels = trainingLabels(
    rows.map((row) => column[row]),
    { name: label, target: probe.target, positive: options.positive },
  );
  const kept = Uint32Array.from(labels.kept, (i) => rows[i]!);
  const group = options.group ?? (dataset.columns.includes("group") ? "group" : null);
  const index = async (name: string): Promise<Uint32Array> => {
    const values = await columnOf(dataset, name);
    return groupIndex(values, kept);
  };
  const width = dataset.hiddenSize;
  const data: TrainingData = {
    task: labels.task,
    rows: kept.length,
    width,
    values: pickRows(await layerOf(dataset, layer), kept, width),
    targets: labels.targets,
    classes: labels.classes,
    weights: null,
    groupOf: group === null ? null : await index(group),
    exampleOf: dataset.columns.includes("example") ? await index("example") : null,
  };
  const model = options.model ?? dataset.lineage?.about.model ?? null;
  return await train(data, { labels, kept }, { ...options, layer, group, model });
}

async function trainOnRows(given: RawTrainingRows, options: TrainRowsOptions): Promise<TrainedProbe> {
  const { values, width, groups, examples } = given;
  if (values.length % width !== 0) refuseRows(values, width);
  const rows = values.length / width;
  for (const [name, list] of Object.entries({
    labels: given.labels,
    groups,
    examples,
    weights: given.weights,
  })) {
    if (list === undefined || list.length === rows) continue;
    const message = `There are ${rows} rows and ${list.length} ${name}: give one for each row.`;
    throw new ProbeError("bad_column", message, { rows, column: name, values: list.length });
  }
  const { label = null, layer = null, model = null, probe, positive } = options;
  const named = { name: label ?? "labels", target: probe.target, positive };
  const { labels, weights } = weighedLabels(given.labels, given.weights, named);
  const { kept } = labels;
  const index = (list: ArrayLike<unknown> | undefined): Uint32Array | null =>
    list === undefined ? null : groupIndex(list, kept);
  const data: TrainingData = {
    task: labels.task,
    rows: kept.length,
    width,
    values: pickRows(values, kept, width),
    targets: labels.targets,
    classes: labels.classes,
    weights,
    groupOf: index(groups),
    exampleOf: index(examples),
  };
  const group = groups ? "groups" : null;
  return await train(data, { labels, kept }, { ...options, label, layer, model, group });
}

interface Facts {
  probe: Probe | ProbeTrainer;
  C?: number;
  label: string | null;
  layer: number | null;
  model: string | null;
  group: string | null;
}

async function train(
  data: TrainingData,
  { labels, kept }: { labels: TrainingLabels; kept: Uint32Array },
  facts: Facts,
): Promise<TrainedProbe> {
  const { probe, label, layer, model, group } = facts;
  refuseRows(data.values, data.width, (place) => kept[place]!);
  const C = oneStrength(probe, facts.C);
  const parts = await onBackend(() =>
    probe.train ? probe.train(data, C) : trainColumns(probe as Probe, data, C),
  );
  refuseUnconverged(probe, parts, labels);
  const { name, formula, bias } = probe;
  return sealedProbe({
    ...{
      schemaVersion: resultSchemaVersion,
      kind: "trained-probe",
      name,
      task: data.task,
      layer,
      width: data.width,
    },
    ...{ model, formula, bias, C: parts.C, label, positive: labels.positive, group },
    classes: labels.classes && [...labels.classes],
    training: {
      rows: data.rows,
      counts: labels.counts,
      iterations: parts.iterations,
      gradientNorm: parts.gradientNorm,
    },
    scorer: parts.scorer,
    threshold: null,
  });
}

/** Numbers of a row's group each. */
function groupIndex(values: ArrayLike<unknown>, kept: Uint32Array): Uint32Array {
  return indexGroups(
    Array.from(kept, (row) => values[row]),
    (place) => kept[place]!,
  ).index;
}

function refuseUnconverged(
  { name, formula }: Probe | ProbeTrainer,
  { converged, C, iterations, gradientNorm }: TrainedParts,
  { task, counts }: TrainingLabels,
): void {
  if (converged && Number.isFinite(gradientNorm)) return;
  // The strength of a ridge is λ, called C.
  const stronger = formula.includes("λ") ? "a higher λ, given as C" : "a lower C";
  const look = `${C === null ? "Look" : `Penalise more (${stronger}) or look`} for features of extreme scale.`;
  const single = task !== "number" && counts.every((count) => count === 1);
  const advice = single
    ? "Each class has one row, so nothing tells how rows vary within a class: give two rows of a class at least."
    : look;
  throw new ProbeError(
    "not_converged",
    `The probe ${name}${C === null ? "" : ` at C = ${C}`} did not converge: gradient norm ${gradientNorm.toExponential(2)} after ` +
      `${iterations} steps. ${advice}`,
    { C, iterations, gradientNorm },
  );
}

function pickRows(values: Float32Array, kept: Uint32Array, width: number): Float32Array {
  if (kept.length * width === values.length) return values;
  const picked = new Float32Array(kept.length * width);
  kept.forEach((row, i) => picked.set(values.subarray(row * width, (row + 1) * width), i * width));
  return picked;
}
