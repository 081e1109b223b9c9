import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { collect } from "../../src/collect/collect.ts";
import { DatasetError } from "../../src/dataset/dataset-error.ts";
import { freshFolder, leftovers } from "./collect-helpers.ts";
import { MemoryLens } from "./memory-lens.ts";
import { someExamples } from "./some-examples.ts";

const options = { layers: "all", shardRows: 8 } as const;

/** Whether this user may mount a small file system; a full one cannot be had otherwise. */
function mountable(): boolean {
  const script = 'd=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs "$d" && umount "$d" && rmdir "$d"';
  return process.platform === "linux" && spawnSync("sh", ["-c", script]).status === 0;
}
const missing = mountable() ? undefined : "needs the right to mount a tmpfs (run as root on Linux)";

describe.skipIf(missing !== undefined)(`a full disk${missing ? `: ${missing}` : ""}`, () => {
  async function smallDisk(kilobytes: number): Promise<string> {
    const folder = await freshFolder();
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder]).status).toBe(0);
    onTestFinished(() => void spawnSync("umount", [folder]));
    return join(folder);
  }

  test("ends with one clear error and no half file; with room again, only what is missing is captured", async () => {
    const disk = await smallDisk(160);
    const to = join(disk, "run");
    const lens = new MemoryLens({ hiddenSize: 512 });
    const error = await collect(lens, someExamples(40), { ...options, to }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(DatasetError);
    expect(error).toMatchObject({ code: "disk_full" });
    expect((error as Error).message).toMatch(/no room left.*Free some space/);
    const names = (await readdir(to)).sort();
    const shards = names.filter((name) => name.startsWith("shard-"));
    expect(shards.length).toBeGreaterThan(0);
    expect(names).toEqual(["collect.jsonl", ...shards]);

    expect(spawnSync("mount", ["-o", "remount,size=4m", disk]).status).toBe(0);
    const rest = new MemoryLens({ hiddenSize: 512 });
    const dataset = await collect(rest, someExamples(40), { ...options, to });
    expect(rest.captures).toBe(40 - 8 * shards.length);
    expect(await leftovers(to)).toEqual([]);
    const undisturbed = await collect(new MemoryLens({ hiddenSize: 512 }), someExamples(40), {
      ...options,
      to: await freshFolder(),
    });
    expect(dataset.manifest).toEqual(undisturbed.manifest);
  });

  test("at every size from nothing on: an error and whole files, or a dataset", async () => {
    const outcomes = new Set<string>();
    for (let kilobytes = 4; kilobytes <= 120; kilobytes += 4) {
      const to = await smallDisk(kilobytes);
      try {
        await (
          await collect(new MemoryLens({ hiddenSize: 64 }), someExamples(40), { ...options, to })
        ).validate();
        expect(await leftovers(to)).toEqual([]);
        outcomes.add("dataset");
      } catch (error) {
        expect(error).toMatchObject({ code: "disk_full" });
        const others = (await readdir(to)).filter(
          (name) => !/^(shard-\d{5}\.arrow|collect\.jsonl)$/.test(name),
        );
        expect(others).toEqual([]);
        outcomes.add("disk_full");
      }
    }
    expect([...outcomes].sort()).toEqual(["dataset", "disk_full"]);
  });
});
