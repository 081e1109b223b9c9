import { createHash } from "node:crypto";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { collect } from "../../src/collect/collect.ts";
import { contentHash, type DatasetManifest } from "../../src/dataset/dataset-manifest.ts";
import { planHash } from "../../src/collect/dataset-plan.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { MemoryLens } from "../collect/memory-lens.ts";
import { someExamples } from "../collect/some-examples.ts";

let template: Promise<string> | undefined;

/** A copy of a whole dataset of three shards, to be damaged. */
export async function wholeDataset(): Promise<string> {
  template ??= (async () => {
    const folder = await freshFolder();
    await collect(new MemoryLens(), someExamples(12), {
      layers: [0, 2],
      select: { last: 2 },
      shardRows: 8,
      to: folder,
    });
    const bytes = await Promise.all(
      ["dataset.json", ...shardNames].map(
        async (name) => [name, await readFile(join(folder, name))] as const,
      ),
    );
    return JSON.stringify(bytes.map(([name, data]) => [name, data.toString("base64")]));
  })();
  const folder = await freshFolder();
  for (const [name, data] of JSON.parse(await template) as [string, string][]) {
    await writeFile(join(folder, name), Buffer.from(data, "base64"));
  }
  return folder;
}

export const shardNames = ["shard-00000.arrow", "shard-00001.arrow", "shard-00002.arrow"];

export async function readJson(folder: string): Promise<DatasetManifest> {
  return JSON.parse(await readFile(join(folder, "dataset.json"), "utf8")) as DatasetManifest;
}

/** Changes the manifest; with `reseal` all sizes and hashes are made to agree again, as a careful forger would. */
export async function forge(
  folder: string,
  change: (manifest: DatasetManifest) => void,
  { reseal = true } = {},
): Promise<void> {
  const manifest = await readJson(folder);
  change(manifest);
  if (reseal) {
    for (const shard of manifest.shards) {
      const data = await readFile(join(folder, shard.file)).catch(() => undefined);
      if (data === undefined) continue;
      shard.bytes = data.length;
      shard.sha256 = createHash("sha256").update(data).digest("hex");
    }
    const { origin } = manifest;
    if (origin.kind === "collected") origin.plan.hash = planHash(origin.plan);
    manifest.contentHash = contentHash(origin, manifest.shards);
  }
  await writeFile(join(folder, "dataset.json"), JSON.stringify(manifest));
}

export async function copyOf(folder: string): Promise<string> {
  const copy = await freshFolder();
  await cp(folder, copy, { recursive: true });
  return copy;
}
