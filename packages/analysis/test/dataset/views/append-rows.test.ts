import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CollectFailure } from "../../../src/collect/collect-failure.ts";
import { collect } from "../../../src/collect/collect.ts";
import { lint } from "../../../src/dataset/health/lint.ts";
import { mergeDatasets } from "../../../src/dataset/views/merge-datasets.ts";
import { viewOf } from "../../../src/dataset/views/view-methods.ts";
import type { RowSource } from "../../../src/dataset/row-source.ts";
import { writeDataset, type WriteDatasetOptions } from "../../../src/dataset/write-dataset.ts";
import { freshFolder } from "../../collect/collect-helpers.ts";
import { MemoryLens } from "../../collect/memory-lens.ts";
import { someExamples } from "../../collect/some-examples.ts";
import { tableSource } from "../health/table-source.ts";
import { memorySource } from "../memory-source.ts";

const source = memorySource({ rows: 9, dtype: "bfloat16" });

describe("append", () => {
  test("example ids that both have are refused by name, or take a prefix", async () => {
    const view = viewOf(source);
    await expect(view.append(source)).rejects.toMatchObject({
      code: "example_clash",
      found: 'example "e0", which is also in rows in memory',
    });
    const both = await view.append(source, { prefix: "b/" });
    expect(await both.column("example")).toEqual([
      ...(await source.column("example")),
      ...(await source.column("example")).map((example) => `b/${String(example)}`),
    ]);
    expect(await both.column("group")).toEqual([
      ...(await source.column("group")),
      ...(await source.column("group")),
    ]);
    expect(both.lineage.notes).toEqual([
      "append: 3 groups are in several of the sources, and are one group each",
    ]);
    const apart = await view.append(source, { prefix: "b/", prefixGroups: true });
    expect(new Set(await apart.column("group")).size).toBe(6);
    expect(apart.lineage.notes).toEqual([]);
  });

  test("an example without a group stays one of its own: its group follows its id", async () => {
    const groups = { e0: "e0", e1: "shared", e2: "e2", e3: "e2" };
    const columns = { example: Object.keys(groups), group: Object.values(groups) };
    const own = tableSource({ columns });
    const both = await viewOf(own).append(own, { prefix: "b/" });
    // Asked for alone, groups are the same.
    expect(await both.column("group")).toEqual([
      ...columns.group,
      "b/e0",
      "shared",
      // Given to two examples, of which one has its name.
      "e2",
      "e2",
    ]);
    expect(both.lineage.notes).toEqual([
      "append: 2 groups are in several of the sources, and are one group each",
    ]);
    const { findings } = await lint(
      await viewOf(tableSource({ columns: { example: ["x"], group: ["x"] } })).append(
        tableSource({ columns: { example: ["x"], group: ["x"] } }),
        { prefix: "b/" },
      ),
    );
    expect(findings.map(({ code }) => code)).toContain("missing_group");
  });

  test("columns of one name must be of one type; whole numbers become numbers", async () => {
    const renamed = (field: Partial<RowSource["fields"][number]>) =>
      viewOf({
        ...source,
        fields: source.fields.map((one) => (one.name === "score" ? { ...one, ...field } : one)),
      });
    const other = renamed({ type: "utf8" });
    await expect(viewOf(source).append(other, { prefix: "b/" })).rejects.toMatchObject({
      code: "sources_differ",
      found: "column score of type utf8",
    });
    const numbers = await renamed({ type: "int32" }).append(renamed({ role: "label" }), { prefix: "b/" });
    expect(numbers.fields.find(({ name }) => name === "score")).toMatchObject({
      type: "float64",
      role: "label",
    });
  });
});

/** The same rows with half of their numbers. */
const narrow: RowSource = {
  ...source,
  hiddenSize: 2,
  async *blocks(options) {
    for await (const block of source.blocks(options))
      yield { ...block, layers: block.layers.map((numbers) => numbers.filter((_, i) => i % 4 < 2)) };
  },
};

const about = { model: "m", checkpoint: "c" };
const write = async (rows: RowSource, more: WriteDatasetOptions["about"] = {}): Promise<string> => {
  const dataset = await writeDataset(await freshFolder(), rows, {
    how: "test",
    from: [],
    about: { ...about, ...more },
  });
  return dataset.folder;
};

describe("merge", () => {
  test("rows of several datasets come bit for bit, shard by shard", async () => {
    const folders = [];
    for (const [i, count] of [7, 5, 3].entries()) {
      const examples = someExamples(count).map((example) => ({ ...example, id: `${i}-${example.id}` }));
      const dataset = await collect(new MemoryLens(), examples, {
        layers: [0, 2],
        to: await freshFolder(),
        shardRows: 2,
      });
      folders.push(dataset);
    }
    const to = await freshFolder();
    const merged = await mergeDatasets(
      folders.map(({ folder }) => folder),
      to,
      { shardRows: 4 },
    );
    await merged.validate();
    expect(merged.manifest).toMatchObject({
      model: "memory",
      checkpoint: "memory/one",
      rows: 15,
      examples: 15,
      origin: { how: "merge", from: folders.map(({ manifest }) => manifest.contentHash) },
    });
    for (const layer of [0, 2]) {
      const bits = await Promise.all(folders.map((dataset) => dataset.layerBits(layer)));
      expect(await merged.layerBits(layer)).toEqual(Uint16Array.from(bits.flatMap((part) => [...part])));
    }
    for (const name of merged.columns) {
      const parts = await Promise.all(folders.map((dataset) => dataset.column(name)));
      expect(await merged.column(name)).toEqual(parts.flat());
    }
  });

  test.each<[string, () => Promise<string>]>([
    ["model n", () => write(source, { model: "n" })],
    ["checkpoint d", () => write(source, { checkpoint: "d" })],
    ["hidden size 2", () => write(narrow)],
    ["dtype float32", () => write(memorySource({ rows: 9, dtype: "float32" }))],
    [
      "layers 2",
      async () =>
        (
          await viewOf(source)
            .select({ layers: [2] })
            .write(await freshFolder())
        ).folder,
    ],
    ["chat template", () => write(source, { chatTemplate: { source: "server", sha256: "b".repeat(64) } })],
  ])("what differs is named: %s", async (what, other) => {
    const first = await write(source, { chatTemplate: { source: "server", sha256: "a".repeat(64) } });
    const failed = mergeDatasets([first, await other()], await freshFolder(), { prefix: true });
    await expect(failed).rejects.toMatchObject({
      code: "sources_differ",
      found: expect.stringContaining(what) as string,
    });
  });

  test("failures are carried, but for examples that another dataset has rows of", async () => {
    const failure = (example: string, index: number) => ({
      ...{ example, index, contentHash: null, stage: "capture", name: "APIError", code: null },
      ...{ message: "no", time: "2026-01-01T00:00:00Z", attempts: 1 },
    });
    const written = async (rows: RowSource, failures: WriteDatasetOptions["failures"]) =>
      (await writeDataset(await freshFolder(), rows, { how: "test", from: [], about, failures: failures! }))
        .folder;
    const a = await written(await viewOf(source).filter({ example: ["e0", "e1"] }), [
      failure("e2", 2),
      failure("e8", 3),
    ] as CollectFailure[]);
    const b = await written(await viewOf(source).filter({ example: ["e2", "e3"] }), [
      failure("e9", 0),
    ] as CollectFailure[]);
    const merged = await mergeDatasets([a, b], await freshFolder());
    await merged.validate();
    expect((await merged.failures()).map(({ example, index }) => [example, index])).toEqual([
      ["e8", 3],
      ["e9", 4],
    ]);
    const late = { ...failure("e8", 0), message: "later", time: "2026-02-01T00:00:00Z", attempts: 2 };
    const early = { ...late, message: "before", time: "2025-01-01T00:00:00Z" };
    const rest = await viewOf(source).filter({ example: ["e2", "e3"] });
    for (const [other, message] of [
      [late, "later"],
      [early, "no"],
    ] as const) {
      const c = await written(rest, [other] as CollectFailure[]);
      expect(await (await mergeDatasets([a, c], await freshFolder())).failures()).toEqual([
        {
          ...failure("e8", 3),
          message,
          attempts: 3,
          time: message === "no" ? failure("e8", 3).time : late.time,
        },
      ]);
    }
    const prefixed = await mergeDatasets([a, b], await freshFolder(), { prefix: true });
    const names = [a, b].map((folder) => folder.slice(dirname(folder).length + 1));
    expect((await prefixed.failures()).map(({ example }) => example)).toEqual([
      `${names[0]}/e2`,
      `${names[0]}/e8`,
      `${names[1]}/e9`,
    ]);
  });

  test("a clash of ids, one folder, and a used folder are refused, and nothing is written", async () => {
    const [a, b, to] = [await write(source), await write(source), await freshFolder()];
    await expect(mergeDatasets([a, b], to)).rejects.toMatchObject({ code: "example_clash" });
    await expect(mergeDatasets([a], to)).rejects.toThrow(/two or more/);
    expect(await readdir(to)).toEqual([]);
    const merged = await mergeDatasets([a, b], to, { prefix: true, prefixGroups: true });
    expect((await merged.column("example"))[0]).toBe(`${a.slice(dirname(a).length + 1)}/e0`);
    await expect(mergeDatasets([a, b], to, { prefix: true })).rejects.toMatchObject({
      code: "dataset_differs",
    });
    const same = join(to, "deeper", a.slice(dirname(a).length + 1));
    await viewOf(source).write(same);
    await expect(mergeDatasets([a, same], to, { prefix: true })).rejects.toThrow(
      /folders of different names/,
    );
  });
});
