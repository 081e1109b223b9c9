import type { DatasetManifest } from "./dataset-manifest.ts";

/** Model and checkpoint of a dataset as one text, by which runs tell whether theirs is the same; null where neither is known. */
export function datasetModel({
  model,
  checkpoint,
}: Pick<DatasetManifest, "model" | "checkpoint">): string | null {
  return model === null && checkpoint === null ? null : `${model ?? "?"} (${checkpoint ?? "?"})`;
}
