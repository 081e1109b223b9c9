import type { Estimate, LayerSweep } from "@residua/analysis";
import { withInterval } from "./numbers.ts";
import { alignColumns } from "./output.ts";

const scoreNames = { auroc: "AUROC", "macro-auroc": "macro AUROC", r2: "R²" } as const;

/** A sweep as text: the curve with its controls, the chosen score with what stands beside it, the verdict. */
export function sweepTable(sweep: LayerSweep): string {
  const { chosen } = sweep;
  const name = scoreNames[sweep.score];
  return [
    layerTable(sweep, name),
    `chosen by inner folds: layer ${chosen.layer}, ${chosen.probe}; outer ${name} ${withInterval(chosen.outerScore)}, p = ${short(chosen.permutation.correctedP)} over all layers`,
    ...measures(sweep),
    controlTable(sweep),
    sweep.verdict.text,
    `${sweep.n} rows, ${sweep.groups} groups (${sweep.group}), ${sweep.folds} folds`,
    ...sweep.notes,
  ].join("\n");
}

function layerTable({ layers }: LayerSweep, name: string): string {
  const head = [
    name,
    ...layers[0]!.probes.map(({ probe }) => probe),
    "shuffled labels",
    "random direction",
    "selectivity",
  ];
  const rows = layers.map(({ layer, probes, controls }) => [
    `layer ${layer}`,
    ...probes.map(({ score }) => withInterval(score)),
    withInterval(controls.shuffledLabels),
    withInterval(controls.randomDirection),
    withInterval(controls.selectivity),
  ]);
  return alignColumns([head, ...rows]);
}

/** Beside the score, of the chosen procedure: only what the labels allow. */
function measures({ chosen }: LayerSweep): string[] {
  const { recall = [], ...one } = chosen.metrics;
  const named: [string, Estimate | undefined][] = [
    ["accuracy", one.accuracy],
    ["balanced accuracy", one.balancedAccuracy],
    ...recall.map((at): [string, Estimate] => [
      `recall at ${100 * at.rate} % false positives (${withInterval(at.falsePositiveRate)} here)`,
      at.recall,
    ]),
    ["Brier", one.brier],
    ["ECE", one.ece],
    ["log loss", one.logLoss],
    ["Spearman", one.spearman],
  ];
  const told = named.flatMap(([what, estimate]) => (estimate ? [`${what} ${withInterval(estimate)}`] : []));
  return told.length > 0 ? [told.join("; ")] : [];
}

function controlTable({ controls, tokenFilter }: LayerSweep): string {
  const rivals: [string, { score: Estimate; gain: Estimate }][] = [
    ["prompt length only", controls.promptLength],
    ["bag of tokens", controls.bagOfTokens],
    [`lowest layer${controls.floor.layer === null ? "" : `, ${controls.floor.layer}`}`, controls.floor],
    ["random features", controls.randomFeatures],
  ];
  const rows = rivals.map(([what, { score, gain }]) =>
    score.value === null
      ? [what, `not fitted: ${score.reason ?? "no reason is known"}`, ""]
      : [what, withInterval(score), withInterval(gain)],
  );
  const filtered = tokenFilter
    ? [
        [
          `without ${tokenFilter.leftOut} rows`,
          withInterval(tokenFilter.without),
          `with them ${withInterval(tokenFilter.with)}`,
        ],
      ]
    : [];
  return alignColumns([["control", "score", "chosen score less it"], ...rows, ...filtered]);
}

function short(p: number | null): string {
  return p === null ? "undefined" : p.toFixed(3);
}
