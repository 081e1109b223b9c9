import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { openDataset } from "../../src/dataset/dataset-open.ts";
import { writeDataset } from "../../src/dataset/write-dataset.ts";
import { freshFolder, leftovers } from "../collect/collect-helpers.ts";
import { childProgram } from "../child-program.ts";
import { memorySource } from "./memory-source.ts";

const rows = 300;
const source = memorySource({ rows, dtype: "bfloat16" });

let program = "";
beforeAll(async () => {
  program = await childProgram(join(import.meta.dirname, "write-child.ts"));
});

/** Kills a child that writes when it has told of this many shards and waited. */
async function writeAndKill(folder: string, after: number, wait: number): Promise<void> {
  const child = spawn(process.execPath, [program, folder, String(rows)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = 0;
  child.stdout.on("data", (chunk: Buffer) => (told += chunk.length));
  const ended = once(child, "close");
  while (told < after && child.exitCode === null) await sleep(1);
  await sleep(wait);
  child.kill("SIGKILL");
  await ended;
}

test("killed at any moment: whole or refused, and the next run ends it and leaves nothing else", async () => {
  const undisturbed = await writeDataset(await freshFolder(), source, {
    how: "test",
    from: [],
    shardRows: 5,
  });
  const shards = undisturbed.manifest.shards.length;
  for (let kill = 0; kill < 6; kill++) {
    const [after, wait] = [Math.ceil(Math.random() * shards), Math.random() * 8];
    const where = `after ${after} shards and ${wait} ms`;
    const folder = await freshFolder();
    await writeAndKill(folder, after, wait);
    if ((await readdir(folder)).includes("dataset.json")) {
      expect((await openDataset(folder)).manifest, where).toEqual(undisturbed.manifest);
      continue;
    }
    await expect(openDataset(folder), where).rejects.toMatchObject({ code: "dataset_incomplete" });
    const dataset = await writeDataset(folder, source, { how: "test", from: [], shardRows: 5 });
    expect(dataset.manifest, where).toEqual(undisturbed.manifest);
    expect(await leftovers(folder), where).toEqual([]);
  }
});
