import { adjustedLevels } from "../../../src/statistics/intervals/adjusted-levels.ts";
import { bootstrapValues } from "../../../src/statistics/intervals/cluster-bootstrap.ts";
import { delongAuroc } from "../../../src/statistics/intervals/delong.ts";
import { quantile } from "../../../src/statistics/intervals/interval.ts";
import { rankScores } from "../../../src/statistics/metrics/ranked-scores.ts";
import { createRandom } from "../../../src/statistics/random.ts";
import { type Design, simulator, trueAuroc } from "./grouped-sets.ts";

export const intervalNames = ["adjusted", "percentile", "delong", "rows"] as const;

/** Share of simulated sets whose 95 % interval holds the true AUROC, for each way to make one. */
export type Coverage = Record<(typeof intervalNames)[number], number>;

export function coverage(
  design: Design,
  options: { sets: number; draws: number; rowDraws: number; seed: number },
): Coverage {
  const { sets, draws, rowDraws, seed } = options;
  const next = simulator(design, seed);
  const truth = trueAuroc(design);
  const random = createRandom(seed, "coverage draws");
  const hits: Coverage = { adjusted: 0, percentile: 0, delong: 0, rows: 0 };
  const count = (name: keyof Coverage, low: number | null, high: number | null) => {
    if (low !== null && high !== null && low <= truth && truth <= high) hits[name] += 1;
  };
  for (let set = 0; set < sets; set++) {
    const rows = next();
    const { groups } = design;
    const ranked = rankScores(rows);
    const statistic = (drawn: Uint32Array) => ranked.auroc(drawn);
    const sorted = bootstrapValues({ groups, draws, random }, statistic).sort();
    const [below, above] = adjustedLevels({ sorted, groups, level: 0.95, statistic, shifted: true });
    count("adjusted", quantile(sorted, below), quantile(sorted, above));
    count("percentile", quantile(sorted, 0.025), quantile(sorted, 0.975));
    const { low, high } = delongAuroc({ ...rows, groups: rows.unit });
    count("delong", low, high);
    const { scores, labels } = rows;
    const byRow = rankScores({ scores, labels });
    const redrawn = bootstrapValues({ groups: scores.length, draws: rowDraws, random }, (drawn) =>
      byRow.auroc(drawn),
    ).sort();
    count("rows", quantile(redrawn, 0.025), quantile(redrawn, 0.975));
  }
  return Object.fromEntries(intervalNames.map((name) => [name, hits[name] / sets])) as Coverage;
}
