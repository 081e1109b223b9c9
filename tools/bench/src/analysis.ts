import { aurocBootstrapContest } from "./analysis/auroc-bootstrap.ts";
import { layerTensorContest } from "./analysis/layer-tensor.ts";
import { linearContests } from "./analysis/linear-contests.ts";
import { logisticContests } from "./analysis/logistic-contests.ts";
import { millionFitsContest } from "./analysis/million-fits.ts";
import { millionRowsContest } from "./analysis/million-rows.ts";
import { openShardsContest } from "./analysis/open-shards.ts";
import { writeRowsContest } from "./analysis/write-rows.ts";
import { sweepWorkers } from "./analysis/sweep-workers.ts";
import type { Contest } from "./row.ts";

/** `npm run bench -- analysis`. */
export async function* analysisContests(wanted: (id: string) => boolean): AsyncGenerator<Contest> {
  for (const [id, make] of Object.entries(rows)) if (wanted(id)) yield await make(id);
}

const rows: Readonly<Record<string, (id: string) => Promise<Contest>>> = {
  ...logisticContests,
  ...linearContests,
  "analysis/auroc-bootstrap": aurocBootstrapContest,
  "analysis/sweep-workers": sweepWorkers,
  "analysis/layer-float32": (id) => layerTensorContest(id, { dtype: "float32", backend: "cpu" }),
  "analysis/layer-float32-large": (id) =>
    layerTensorContest(id, { dtype: "float32", backend: "cpu", pages: "large" }),
  "analysis/layer-float32-small": (id) =>
    layerTensorContest(id, { dtype: "float32", backend: "cpu", pages: "small" }),
  "analysis/layer-float32-wasm": (id) => layerTensorContest(id, { dtype: "float32", backend: "wasm" }),
  "analysis/layer-bfloat16": (id) => layerTensorContest(id, { dtype: "bfloat16", backend: "cpu" }),
  "analysis/layer-bfloat16-large": (id) =>
    layerTensorContest(id, { dtype: "bfloat16", backend: "cpu", pages: "large" }),
  "analysis/layer-bfloat16-small": (id) =>
    layerTensorContest(id, { dtype: "bfloat16", backend: "cpu", pages: "small" }),
  "analysis/layer-bfloat16-wasm": (id) => layerTensorContest(id, { dtype: "bfloat16", backend: "wasm" }),
  "analysis/open-shards": (id) => openShardsContest(id, "ms"),
  "analysis/open-shards-memory": (id) => openShardsContest(id, "MiB"),
  "analysis/write-rows": writeRowsContest,
  "analysis/million-rows": millionRowsContest,
  "analysis/million-fits": millionFitsContest,
};
