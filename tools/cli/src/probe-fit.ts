import {
  openDataset,
  saveProbe,
  scoreDataset,
  thresholdAtFalsePositiveRate,
  trainProbe,
  useBackend,
  type TrainedProbe,
} from "@residua/analysis";
import { stat } from "node:fs/promises";
import type { CommandContext } from "./make-command.ts";
import { probeOf } from "./probe-choice.ts";
import type { ProbeChoice } from "./probe-choices.ts";
import { splitFilter } from "./sweep.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua probe fit`. */
export interface ProbeFitOptions {
  dataset: string;
  label: string;
  layer: number;
  probe: ProbeChoice;
  strength: number;
  split?: string;
  controlSplit?: string;
  rate: number;
  to: string;
  replace?: boolean;
}

/** `residua probe fit`: trains one probe on rows of a dataset and saves it. */
export async function probeFit(options: ProbeFitOptions, { output }: CommandContext): Promise<void> {
  const { label, layer, split, controlSplit, rate, to, replace = false } = options;
  if (!to.endsWith(".json"))
    throw new UsageError(`--to: "${to}" is not allowed; give a file that ends in .json`);
  if (!replace && (await stat(to).catch(() => undefined)))
    throw new UsageError(`--to: ${to} is there already; name another file, or add --replace`);
  if (controlSplit !== undefined && controlSplit === split)
    throw new UsageError(
      "--control-split: the threshold needs rows that took no part in training; name another split than --split",
    );
  const dataset = await openDataset(options.dataset);
  const where = await splitFilter(dataset, split);
  const control = await splitFilter(dataset, controlSplit);
  if (control && !where)
    throw new UsageError("--control-split: name the rows to train on too (--split), so that they differ");
  await refuseManyValues(dataset, label);
  await useBackend();
  const fitted = await trainProbe(dataset, {
    probe: probeOf(options.probe, options.strength),
    ...{ label, layer },
    ...(where && { where }),
  });
  const probe = control ? await withThreshold(fitted, { dataset, control, label, rate }) : fitted;
  await saveProbe(to, probe);
  const { training, threshold } = probe;
  const text = [
    `${to}: ${probe.name}${probe.C === null ? "" : ` at ${probe.C}`}, layer ${layer}, fitted on ${training.rows} rows (${training.counts.join(" and ")})`,
    ...(threshold
      ? [
          `threshold ${threshold.value}: flags ${threshold.falsePositives} of ${threshold.n} negative rows of ${controlSplit}`,
        ]
      : []),
  ];
  output.result({ probe: to, ...summaryOf(probe) }, text.join("\n"));
}

async function refuseManyValues(
  dataset: Awaited<ReturnType<typeof openDataset>>,
  label: string,
): Promise<void> {
  if (!dataset.columns.includes(label)) return;
  const values = new Set(Array.from(await dataset.column(label)).filter((value) => value !== null));
  if (values.size > 2)
    throw new UsageError(
      `--label: ${label} has ${values.size} values; allowed: a column with two, such as true and false`,
    );
}

/** Of the control split's rows only those without the label count: the rate is that of false positives. */
async function withThreshold(
  probe: TrainedProbe,
  {
    dataset,
    control,
    label,
    rate,
  }: {
    dataset: Awaited<ReturnType<typeof openDataset>>;
    control: (row: number) => boolean;
    label: string;
    rate: number;
  },
): Promise<TrainedProbe> {
  const labels = Array.from(await dataset.column(label));
  const where = (row: number) => control(row) && labels[row] !== probe.positive && labels[row] !== null;
  const { scores } = await scoreDataset(probe, dataset, { where });
  return probe.withThreshold(thresholdAtFalsePositiveRate(scores, { rate }));
}

/** What a probe is, without its weights. */
function summaryOf({
  name,
  task,
  layer,
  width,
  model,
  C,
  label,
  positive,
  threshold,
  training,
}: TrainedProbe) {
  return { name, task, layer, width, model, C, label, positive, threshold, training };
}
