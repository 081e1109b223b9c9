import type { ReportInput } from "@residua/analysis";
import { join } from "node:path";
import { withInterval } from "./numbers.ts";
import { alignColumns } from "./output.ts";
import { shown, steeringTable } from "./steering-table.ts";

/** What a first run ends with: at most 25 lines, the file to open last. */
export function firstRunTable(
  result: ReportInput,
  { folder, reused }: { folder: string; reused: boolean },
): string {
  const { model, dataset, answers = [], limits } = result;
  const lines = [
    `${model.checkpoint}: ${dataset.rows} rows × ${dataset.layers.length} layers × ${model.hiddenSize}, from ${dataset.groups} cities${reused ? " (a finished run, read again; --fresh makes a new one)" : ""}`,
    ...answers.map(({ right, title }) => `${shown(right)} right: ${title}`),
    "",
    layerTable(result),
    "",
    steeringTable({
      ...result.steering,
      scales: result.steering.scales.filter(({ scale }) => Math.abs(scale) <= 2),
    }),
    ...(limits
      ? [
          "",
          `refused by lens and by the server: ${limits.asked.layers} × ${limits.asked.positions} × ${limits.asked.hiddenSize} = ${limits.sum} numbers, over ${limits.limit}`,
        ]
      : []),
    `${seconds(result)} s, peak memory ${result.peakMemoryMiB ?? "unknown"} MiB (command and server)`,
    `open ${join(folder, "report.html")}`,
  ];
  return lines.join("\n");
}

function layerTable({ sweep, heldOut }: ReportInput): string {
  const header = [
    "AUROC [95 %]",
    "held-out cities",
    "training cities",
    "shuffled labels",
    "random direction",
  ];
  const rows = shownLayers(sweep).map(({ layer, probes, controls }) => [
    `layer ${layer}${layer === sweep.chosen.layer ? " *" : ""}`,
    withInterval(heldOut?.layers.find((entry) => entry.layer === layer)?.auroc ?? absent),
    withInterval(probes[0]?.score ?? absent),
    withInterval(controls.shuffledLabels),
    withInterval(controls.randomDirection),
  ]);
  return alignColumns([header, ...rows]);
}

/** At most seven layers, evenly spread, the chosen one among them: the report has them all. */
function shownLayers({ layers, chosen }: ReportInput["sweep"]): ReportInput["sweep"]["layers"] {
  const most = 7;
  if (layers.length <= most) return layers;
  const spread = Array.from(
    { length: most - 1 },
    (_, i) => layers[Math.round((i * (layers.length - 1)) / (most - 2))]!,
  );
  return layers.filter((entry) => spread.includes(entry) || entry.layer === chosen.layer);
}

const absent = { value: null, low: null, high: null };

function seconds({ timings }: ReportInput): string {
  return timings.reduce((sum, step) => sum + step.seconds, 0).toFixed(1);
}
