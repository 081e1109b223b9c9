import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  loadProbe,
  openDataset,
  meanDifference,
  directionToJSON,
  scoreDataset,
  trainProbe,
  saveProbe,
  differenceOfMeans,
  multinomial,
} from "@residua/analysis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRun } from "../src/index.ts";
import { layerValues } from "../src/run/layer-values.ts";
import { makeWorld, type World } from "./support.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const scorerOf = (run: Awaited<ReturnType<typeof openRun>>, start: string) =>
  run.scorers.find(({ id }) => id.startsWith(start))!;

/** A whole layer of a dataset, as scorers take it. */
async function valuesOf(folder: string, layer: number): Promise<Float32Array> {
  return (await openDataset(join(world.run, folder))).layer(layer);
}

describe("a run", () => {
  test("has its datasets, its probes by layer, its directions, and a mean difference of each label of two values", async () => {
    const run = await openRun(world.run);
    expect(run.datasets.map(({ place, dataset }) => [place, dataset.rows])).toEqual([
      ["dataset", 40],
      ["tokens", expect.any(Number)],
    ]);
    expect(run.scorers.map(({ name, layers }) => [name, layers])).toEqual([
      ["logistic probe of truth", [3, 4]],
      ["direction truth", [4]],
      ["mean difference of truth in dataset", [0, 1, 2, 3, 4, 5]],
      ["mean difference of truth in tokens", [0, 1, 2, 3, 4, 5]],
    ]);
    expect([run.unread, run.more]).toEqual([[], false]);
  });

  test("scores as its probe file does", async () => {
    const run = await openRun(world.run);
    const probe = await loadProbe(join(world.run, "probes", "truth-4.json"));
    const at = await scorerOf(run, "probe:").at(4);
    const { scores } = await scoreDataset(probe, run.datasets[0]!.dataset);
    expect(at.score(await valuesOf("dataset", 4))).toEqual(scores);
    expect([at.threshold, at.origin, at.width, at.model]).toEqual([0, "probes/truth-4.json", 96, "tiny"]);
    expect(at.direction).toEqual(probe.direction());
  });

  test("has a mean difference of the training rows alone, with the threshold half-way between the classes", async () => {
    const run = await openRun(world.run);
    const { dataset } = run.datasets[0]!;
    const at = await scorerOf(run, "mean:dataset").at(4);
    const made = await meanDifference(dataset, {
      label: "truth",
      layer: 4,
      where: { split: "train" },
      model: "tiny",
    });
    expect(at.direction).toEqual(made);
    const [labels, splits] = [await dataset.column("truth"), await dataset.column("split")];
    const values = await dataset.layer(4);
    const means = [true, false].map((value) => {
      const own = labels.flatMap((label, row) => (label === value && splits[row] === "train" ? [row] : []));
      const sum = own.reduce((total, row) => {
        const of = values.subarray(row * 96, (row + 1) * 96);
        return total + of.reduce((dot, x, j) => dot + x * made.vector[j]!, 0) / made.norm;
      }, 0);
      return sum / own.length;
    });
    expect(at.threshold).toBeCloseTo((means[0]! + means[1]!) / 2, 5);
    expect(means[0]!).toBeGreaterThan(means[1]!);
  });

  test("has no layer that a scorer lacks", async () => {
    const run = await openRun(world.run);
    await expect(scorerOf(run, "probe:").at(0)).rejects.toThrow(
      "logistic probe of truth has no layer 0: choose one of the layers 3, 4.",
    );
  });

  test("reads a layer in blocks exactly as whole", async () => {
    const dataset = await openDataset(join(world.run, "tokens"));
    const blocks: number[] = [];
    for await (const { values } of layerValues(dataset, 2)) blocks.push(...values);
    expect(Float32Array.from(blocks)).toEqual(await dataset.layer(2));
  });
});

describe("a folder", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "residua-open-run-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("of nothing that can be explored is refused with what to do", async () => {
    await writeFile(join(folder, "notes.txt"), "nothing");
    await writeFile(join(folder, "package.json"), "{}");
    await expect(openRun(folder)).rejects.toMatchObject({ code: "nothing_to_explore" });
    await expect(openRun(join(folder, "absent"))).rejects.toThrow("give the folder of a run");
    await expect(openRun(join(folder, "notes.txt"))).rejects.toMatchObject({ code: "folder_unreadable" });
  });

  test("tells what it could not use, and follows no link", async () => {
    const dataset = await openDataset(join(world.run, "dataset"));
    await mkdir(join(folder, "probes"), { recursive: true });
    const good = await readFile(join(world.run, "probes", "truth-4.json"), "utf8");
    await writeFile(join(folder, "probes", "cut.json"), good.slice(0, 900));
    await writeFile(join(folder, "probes", "changed.json"), good.replace('"label":"truth"', '"label":"lie"'));
    await writeFile(join(folder, "probes", "good.json"), good);
    const direction = await meanDifference(dataset, { label: "truth", layer: 2 });
    await writeFile(join(folder, "truth-2.json"), JSON.stringify(directionToJSON(direction), null, 2));
    await symlink(world.run, join(folder, "linked"));
    const run = await openRun(folder);
    expect(run.unread.map(({ file }) => file)).toEqual(["probes/changed.json", "probes/cut.json"]);
    expect(run.unread.every(({ reason }) => reason.length > 20)).toBe(true);
    expect(run.scorers.map(({ id, above }) => [id, above])).toEqual([
      ["probe:probes/good.json", "truth is true"],
      ["direction:truth-2.json", "truth is true"],
    ]);
  });

  test("tells apart two probes of one layer, and the classes of one probe", async () => {
    const dataset = await openDataset(join(world.run, "dataset"));
    const train = (probe: Parameters<typeof trainProbe>[1]["probe"], label: string, layer: number) =>
      trainProbe(dataset, { layer, label, probe });
    await mkdir(join(folder, "more"), { recursive: true });
    await saveProbe(join(folder, "more", "a.json"), await train(differenceOfMeans(), "truth", 4));
    await saveProbe(join(folder, "more", "b.json"), await train(differenceOfMeans(), "truth", 4));
    await saveProbe(
      join(folder, "more", "continents.json"),
      await train(multinomial({ C: [1] }), "continent", 4),
    );
    const run = await openRun(join(folder, "more"));
    const names = run.scorers.map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual([
      "difference-of-means probe of truth, a.json",
      "difference-of-means probe of truth, b.json",
    ]);
    const probe = await loadProbe(join(folder, "more", "continents.json"));
    expect(names.slice(2)).toEqual(
      probe.classes!.map((one) => `multinomial probe of continent (${String(one)})`),
    );
    const values = await dataset.layer(4);
    const all = probe.score(values);
    const second = await run.scorers[3]!.at(4);
    expect([...second.score(values)]).toEqual([...all].filter((_, i) => i % probe.classes!.length === 1));
    expect(second.direction).toEqual(probe.direction({ class: probe.classes![1]! }));
  });
});
