import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ActivationDataset } from "../../../src/dataset/dataset-open.ts";
import { openDataset } from "../../../src/dataset/dataset-open.ts";
import type { ColumnConditions } from "../../../src/dataset/views/row-condition.ts";
import { viewOf } from "../../../src/dataset/views/view-methods.ts";
import { writeDataset } from "../../../src/dataset/write-dataset.ts";
import { freshFolder } from "../../collect/collect-helpers.ts";
import { memorySource } from "../memory-source.ts";

const memory = memorySource({ rows: 23, dtype: "bfloat16" });

async function smallShards(): Promise<ActivationDataset> {
  return writeDataset(await freshFolder(), memory, { how: "test", from: [], shardRows: 2 });
}

describe("what stands in an example's first row", () => {
  test("stays with the first kept row of its example", async () => {
    const view = await viewOf(memory).filter(["position"], ({ position }) => (position as number) % 2 === 1);
    const [examples, texts] = [await view.column("example"), await view.column("text")];
    expect(view.rows).toBe(11);
    examples.forEach((example, i) => {
      const first = example !== examples[i - 1];
      expect(texts[i]).toBe(first ? `text ${String(example).slice(1)}` : null);
    });
    expect(await view.column("prompt_length")).toContain(3);
  });

  test("counts for every row of the example in a condition", async () => {
    const lengths = await memory.column("prompt_length");
    const byFirst = await viewOf(memory).filter({ prompt_length: 1 });
    const examples = new Set(await byFirst.column("example"));
    expect(byFirst.rows).toBeGreaterThan(lengths.filter((length) => length === 1).length);
    expect(byFirst.rows).toBe(
      (await memory.column("example")).filter((example) => examples.has(example)).length,
    );
  });
});

test("conditions as data: a value, several values, no value", async () => {
  const all = await memory.column("truth");
  const count = (test: (value: unknown) => boolean) => all.filter(test).length;
  expect((await viewOf(memory).filter({ truth: true })).rows).toBe(count((value) => value === true));
  expect((await viewOf(memory).filter({ truth: null })).rows).toBe(count((value) => value === null));
  expect((await viewOf(memory).filter({ truth: [false, null] })).rows).toBe(count((value) => value !== true));
  const both = await viewOf(memory).filter({ truth: true, group: ["g0", "g1"] });
  expect(new Set(await both.column("group"))).toEqual(new Set(["g0", "g1"]));
});

test("only shards with kept rows are read, and only for what is asked", async () => {
  const dataset = await smallShards();
  const view = await dataset.filter({ example: ["e0", "e1"] });
  const whole = await memory.layer(2);
  for (const { file } of dataset.manifest.shards.slice(2)) await rm(join(dataset.folder, file));
  expect(view.rows).toBe(4);
  expect(await view.layer(2)).toEqual(whole.subarray(0, 16));
  expect(await view.column("text")).toEqual(["text 0", null, "text 1", null]);
  await expect(dataset.layer(2)).rejects.toMatchObject({ code: "read_failed" });
});

test("rows far apart in one batch are read as they are", async () => {
  const wide = memorySource({ rows: 900, dtype: "bfloat16" });
  const dataset = await writeDataset(await freshFolder(), wide, { how: "test", from: [] });
  const rows = Uint32Array.of(0, 3, 4, 899);
  const whole = await wide.layerBits(-1);
  for await (const block of dataset.pick!({ rows, columns: ["position"], layers: [-1] })) {
    expect(block.columns.get("position")).toEqual([0, 3, 4, 899]);
    expect(Array.from(block.layers[0]!)).toEqual(
      [...rows].flatMap((row) => Array.from(whole.subarray(row * 4, row * 4 + 4))),
    );
  }
});

test("bad conditions are refused by name when the view is awaited", async () => {
  const dataset = await smallShards();
  await expect(dataset.filter({ spilt: "train" })).rejects.toMatchObject({ code: "no_such_column" });
  await expect(dataset.filter({ truth: "true" })).rejects.toThrow(
    /filter\.truth: "true"; allowed: true or false/,
  );
  await expect(dataset.filter({ token_ids: [1] })).rejects.toThrow(/lists take a function/);
  await expect(dataset.filter({})).rejects.toThrow(/no condition/);
  await expect(dataset.filter(["nope"], () => true)).rejects.toMatchObject({ code: "no_such_column" });
  const later = (() => Promise.resolve(true)) as unknown as () => boolean;
  await expect(dataset.filter(["group"], later)).rejects.toThrow(/returned object/);
  await expect(dataset.take(-1)).rejects.toThrow(/take: -1/);
});

describe("every value for every type of column: rows, or an error, never silence", () => {
  const ofItself: unknown[] = [];
  ofItself.push([ofItself]);
  const values: Readonly<Record<string, unknown>> = {
    text: "train",
    "half a surrogate pair": "\uD800",
    true: true,
    1: 1,
    "-2^31": -(2 ** 31),
    "2^31": 2 ** 31,
    "2^40": 2 ** 40,
    1.5: 1.5,
    NaN,
    Infinity,
    null: null,
    undefined,
    bigint: 1n,
    symbol: Symbol("one"),
    function: () => true,
    object: { value: 1 },
    "list of itself": ofItself,
    "empty list": [],
    "list with a hole": new Array(2),
    "list in a list": [[1]],
  };
  const allowed: Record<string, readonly string[]> = {
    split: ["text", "null"],
    truth: ["true", "null"],
    position: ["1", "-2^31", "null"],
    score: ["1", "-2^31", "2^31", "2^40", "1.5", "NaN", "Infinity", "null"],
    token_ids: [],
  };
  const cases = Object.keys(allowed).flatMap((column) =>
    Object.keys(values).map((name) => [column, name] as const),
  );
  test.each(cases)("%s: %s", async (column, name) => {
    const value = values[name];
    const conditions = { [column]: value } as ColumnConditions;
    if (allowed[column]!.includes(name)) {
      const read = await memory.column(column);
      expect((await viewOf(memory).filter(conditions)).rows).toBe(
        read.filter((one) => Object.is(one, value)).length,
      );
      return;
    }
    await expect(viewOf(memory).filter(conditions)).rejects.toThrow(
      new RegExp(`filter\\.${column}: .+; allowed: (?!Invalid)`),
    );
    // In a list beside what is allowed, too.
    const [fine] = allowed[column]!;
    if (fine === undefined) return;
    const both = { [column]: [values[fine], value] } as ColumnConditions;
    await expect(viewOf(memory).filter(both)).rejects.toMatchObject({ code: "invalid_request" });
  });

  const keepAll = (): boolean => true;
  test.each<[string, readonly unknown[]]>([
    ["nothing", [undefined]],
    ["null", [null]],
    ["a text", ["train"]],
    ["a number", [1]],
    ["a map", [new Map([["split", "train"]])]],
    ["values and a function", [{ split: "train" }, keepAll]],
    ["words that are no text", [["split"], keepAll, 3]],
    ["names without a function", [["split"]]],
    ["no names", [[]]],
  ])("%s in place of conditions", async (_, given) => {
    const view = viewOf(memory) as unknown as { filter(...all: readonly unknown[]): PromiseLike<unknown> };
    await expect(view.filter(...given)).rejects.toMatchObject({ code: "invalid_request" });
  });

  test("a column that is not there, also one that every object has", async () => {
    for (const column of ["spilt", "constructor", "__proto__"]) {
      const conditions = Object.fromEntries([[column, "a"]]);
      await expect(viewOf(memory).filter(conditions)).rejects.toMatchObject({ code: "no_such_column" });
    }
  });

  test("numbers that JSON lacks stand in the words as they are", async () => {
    const view = await viewOf(memory).filter({ score: [Infinity, NaN, 1] });
    expect(view.lineage.how).toContain("filter score in [Infinity,NaN,1]");
  });
});

test("nothing is read before a view is awaited, and one that is dropped raises no error", async () => {
  const folder = (await smallShards()).folder;
  const dataset = await openDataset(folder);
  const pending = dataset.filter({ nothing: "here" }).select({ layers: [77] });
  await rm(folder, { recursive: true });
  await expect(pending).rejects.toMatchObject({ code: "no_such_column" });
  dataset.filter({ example: "e0" });
});
