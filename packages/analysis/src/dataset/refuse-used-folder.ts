import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isShardName } from "../shards/shard-schema.ts";
import { DatasetError } from "./dataset-error.ts";

/** Refuses a folder that holds a dataset or collects one, and removes the shards of a run that was killed before its end. */
export async function refuseUsedFolder(folder: string): Promise<void> {
  const names = await readdir(folder);
  const used = names.find((name) => name === "dataset.json" || name === "collect.jsonl");
  if (used !== undefined) {
    throw new DatasetError("dataset_differs", {
      path: folder,
      found: `${used}: a dataset is here already`,
      expected: "a new or an empty folder",
      advice: "Write into another folder (freeRunName gives a free name beside this one).",
    });
  }
  for (const name of names.filter(isShardName)) await rm(join(folder, name));
}
