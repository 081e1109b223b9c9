import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { removeDrafts } from "../files/file-atomic.ts";
import { isShardName } from "../shards/shard-schema.ts";
import { DatasetError } from "./dataset-error.ts";
import { writingName } from "./writing-mark.ts";

/**
 * Refuses a folder that holds a dataset, collects one, or has shards of which nothing says where they are from. What a killed
 * `writeDataset` left is removed. Only the owner of the folder's lock may call it.
 */
export async function refuseUsedFolder(folder: string): Promise<void> {
  const names = await readdir(folder);
  const shards = names.filter(isShardName);
  const used =
    names.find((name) => ["dataset.json", "collect.jsonl", "rollouts.jsonl"].includes(name)) ??
    (names.includes(writingName) ? undefined : shards[0]);
  if (used !== undefined) {
    throw new DatasetError("dataset_differs", {
      path: folder,
      found: `${used}: ${shards.includes(used) ? "a shard of something else" : "a dataset"} is here already`,
      expected: "a new or an empty folder",
      advice: "Write into another folder (freeRunName gives a free name beside this one).",
    });
  }
  await removeDrafts(folder);
  for (const name of shards) await rm(join(folder, name));
}
