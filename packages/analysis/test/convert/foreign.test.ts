import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readArrow } from "../../src/convert/arrow-table.ts";
import { importDataset, importRows } from "../../src/convert/convert-rows.ts";
import { readParquet } from "../../src/convert/read-parquet.ts";
import { readNpyRows, readSafetensorsRows } from "../../src/convert/read-tensors.ts";
import type { ColumnMap } from "../../src/convert/column-map.ts";
import { hashFile } from "../../src/files/file-hash.ts";
import { writeParquet } from "../../src/convert/write-parquet.ts";
import { lint } from "../../src/dataset/health/lint.ts";
import { viewOf } from "../../src/dataset/views/view-methods.ts";
import { standardColumns } from "../../src/shards/column-field.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { sourceOf } from "./any-source.ts";

const folder = join(import.meta.dirname, "../../fixtures/convert-foreign");
const at = (name: string): string => join(folder, name);
const expected = JSON.parse(await readFile(at("expected.json"), "utf8")) as Record<
  "single" | "half" | "bfloat16OfDouble",
  number[]
>;
const lists = ["double", "single", "fixed", "half", "bits"];

/** Layer 3 from one column of lists, the others left out. */
function mapped(column: string, there = lists): ColumnMap {
  const leaveOut = there.filter((name) => name !== column);
  return { example: "id", group: "topic", labels: ["truth"], layers: { 3: column }, leaveOut };
}
const words = (values: Float32Array): number[] => [...new Uint32Array(values.buffer)];

describe("tables of other tools", () => {
  const files = [
    ["pyarrow's Parquet", () => readParquet(at("foreign.parquet"), { map: mapped("single") })],
    [
      "polars' Parquet",
      () => readParquet(at("polars.parquet"), { map: mapped("single", lists.slice(0, 3)) }),
    ],
    ["pyarrow's Arrow stream", () => readArrow(at("foreign.arrows"), { map: mapped("fixed") })],
  ] as const;
  test.each(files)("%s: rows, labels, and J3: whole numbers of 64 bits without loss", async (_, open) => {
    const source = await open();
    expect(words(await source.layer(3))).toEqual(expected.single);
    expect(source.fields).toMatchObject([
      { name: "example", type: "utf8", role: "standard" },
      { name: "group", type: "utf8", role: "standard" },
      { name: "small", type: "int32", role: "extra" },
      { name: "wide", type: "float64", role: "extra" },
      { name: "truth", type: "bool", role: "label" },
      { name: "score", type: "float64", role: "extra" },
      { name: "pieces", type: "int32[]", role: "extra" },
    ]);
    expect(await source.column("example")).toEqual(
      [1, 2, 3, 4, 5, 6].map((i) => String(2n ** 53n + BigInt(i))),
    );
    expect(await source.column("small")).toEqual([1, null, -3, 4, 5, 2 ** 31 - 1]);
    expect(await source.column("wide")).toEqual([2 ** 40, 1, 2, 3, 4, 5]);
    expect(await source.column("group")).toEqual(["x", "\uFEFFy", "", "x", "ñ𝄞", "x"]);
    expect(await source.column("truth")).toEqual([true, false, null, true, false, true]);
    expect(await source.column("score")).toEqual([0.5, null, Infinity, -0, Math.fround(1e-300), 2]);
    expect(await source.column("pieces")).toEqual([[1, 2], [], null, [3], [4], [5]]);
  });

  test("J3: an Int64 column of numbers too large for a double becomes texts, of a label and an extra column too", async () => {
    const map = { ...mapped("single"), example: "topic", labels: ["id"] };
    const source = await readParquet(at("foreign.parquet"), { map });
    expect(source.fields.find(({ name }) => name === "id")).toMatchObject({ type: "utf8", role: "label" });
    expect((await source.column("id"))[0]).toBe("9007199254740993");
  });

  test("J4: float16 lists, and bits, are read as their bits", async () => {
    const half = await readParquet(at("foreign.parquet"), { map: mapped("half") });
    expect([half.dtype, [...(await half.layerBits(3))]]).toEqual(["float16", expected.half]);
    await expect(readParquet(at("foreign.parquet"), { map: mapped("bits") })).rejects.toThrow(
      /"bits" holds unsigned.*bits: true/,
    );
    const bits = await readParquet(at("foreign.parquet"), {
      map: mapped("bits"),
      bits: true,
      dtype: "float16",
    });
    expect([...(await bits.layerBits(3))]).toEqual(expected.half);
  });

  test("float64 is narrowed only when asked, and rounded only when asked, once", async () => {
    const map = mapped("double");
    await expect(readParquet(at("foreign.parquet"), { map })).rejects.toMatchObject({
      code: "column_invalid",
    });
    const exact = await readParquet(at("foreign.parquet"), { map, dtype: "float32" });
    await expect(exact.layer(3)).rejects.toMatchObject({ code: "not_exact", path: at("foreign.parquet") });
    await expect(exact.layer(3)).rejects.toThrow(/column "double".*row 0/);
    const single = await readParquet(at("foreign.parquet"), { map, dtype: "float32", round: true });
    expect(words(await single.layer(3))).toEqual(expected.single);
    const narrow = await readParquet(at("foreign.parquet"), { map, dtype: "bfloat16", round: true });
    expect([...(await narrow.layerBits(3))]).toEqual(expected.bfloat16OfDouble);
  });

  test("nulls, nulls inside, ragged lists, wrong names and types are refused by column and row", async () => {
    const refused = async (name: string): Promise<string> => {
      const source = await readParquet(at(name));
      return source.layer(0).then(
        () => "",
        (error: Error) => error.message,
      );
    };
    expect(await refused("nulls.parquet")).toMatch(/nulls\.parquet: column "layer_0" is null in row 4/);
    expect(await refused("inner-nulls.parquet")).toMatch(
      /column "layer_0" has a null among its numbers in row 2/,
    );
    expect(await refused("ragged.parquet")).toMatch(
      /column "layer_0" has 2 numbers in row 5; expected a list of 3/,
    );
    const open = (map: ColumnMap) => readParquet(at("foreign.parquet"), { map });
    await expect(open({})).rejects.toThrow(/column "double" is of type List<Float64>.*leaveOut/);
    await expect(open({ ...mapped("single"), labels: ["truht"] })).rejects.toThrow(/"truht".*truth/);
    await expect(open({ leaveOut: lists })).rejects.toMatchObject({ code: "no_such_layer" });
    await expect(open({ ...mapped("topic"), group: "id" })).rejects.toThrow(/"topic" is of type/);
    const nulls = await open({ ...mapped("single"), example: "truth" });
    await expect(nulls.column("example")).rejects.toThrow(/"truth" is null in row 2.*never null/);
    const wide = await open({ ...mapped("single"), position: "wide" });
    await expect(wide.column("position")).rejects.toThrow(/"wide" is 1099511627776 in row 0; expected int32/);
  });

  test("row groups of no rows are passed over; a file of nothing else has no rows", async () => {
    const source = await readParquet(at("empty-groups.parquet"), { map: { example: "id" } });
    expect([source.rows, await source.column("example")]).toEqual([3, ["p0", "p1", "p2"]]);
    expect([...(await source.layer(3))]).toEqual([0, 0.5, 1, 0.5, 2, 0.5]);
    const to = join(await freshFolder(), "d");
    expect((await importDataset(at("empty-groups.parquet"), to, { map: { example: "id" } })).rows).toBe(3);
    const none = readParquet(at("no-rows.parquet"), { map: { example: "id" } });
    await expect(none).rejects.toMatchObject({ code: "no_rows", found: "a file without rows" });
  });

  test("a dataset is made of them, and says from which file", async () => {
    const to = join(await freshFolder(), "d");
    const { manifest } = await importDataset(at("foreign.parquet"), to, { map: mapped("single") });
    expect(manifest.origin).toEqual({
      kind: "derived",
      how: "convert foreign.parquet",
      from: [await hashFile(at("foreign.parquet"))],
    });
  });
});

test("a file whose rows were shuffled is refused: an example's rows follow each other in a dataset", async () => {
  const folder = await freshFolder();
  const rows = {
    ...{ dtype: "float32" as const, hiddenSize: 1, layers: [0], numbers: [Float32Array.of(1, 2, 3)] },
    fields: Object.values(standardColumns).slice(0, 2),
  };
  const write = (example: readonly string[], name: string) =>
    writeParquet(sourceOf({ ...rows, columns: { example, group: example } }), join(folder, name), {
      rowGroupRows: 1,
    });
  await write(["a", "b", "a"], "shuffled.parquet");
  await write(["a", "a", "b"], "sorted.parquet");
  const to = join(folder, "d");
  const importing = importDataset(join(folder, "shuffled.parquet"), to);
  await expect(importing).rejects.toMatchObject({ code: "column_invalid" });
  await expect(importing).rejects.toThrow(
    /shuffled\.parquet: example "a" again in row 2.*Sort the rows by example/,
  );
  const view = viewOf(await readParquet(join(folder, "shuffled.parquet")));
  const other = await readParquet(join(folder, "sorted.parquet"));
  const uses = {
    filter: () => view.filter({ group: "a" }),
    join: () => view.join([{ example: "a", z: 1 }], { unmatched: "null" }),
    append: () => view.append(other, { prefix: "x" }),
    appended: () => viewOf(other).append(view, { prefix: "x" }),
    take: () => view.take(3).write(join(folder, "taken")),
    write: () => view.write(join(folder, "written")),
    lint: () => lint(view),
  };
  for (const [name, use] of Object.entries(uses))
    await expect(use(), name).rejects.toThrow(/shuffled\.parquet: example "x?a" again in row 2/);
  expect((await importDataset(join(folder, "sorted.parquet"), to)).manifest.examples).toBe(2);
});

describe("arrays of NumPy and safetensors", () => {
  test("rows, with the columns of a table", async () => {
    const npy = await readNpyRows(at("rows.npy"), {
      axis: [4, 9],
      columns: at("foreign.parquet"),
      map: { example: "id", leaveOut: lists },
    });
    expect(words(await npy.layer(4))).toEqual(expected.single);
    expect([...(await npy.layer(9))]).toEqual([...(await npy.layer(4))].map((value) => -value));
    expect(npy.columns).toContain("truth");
    const half = await readSafetensorsRows(at("rows.safetensors"), { map: { layers: { 2: "half" } } });
    expect([...(await half.layerBits(2))]).toEqual(expected.half);
    await expect(
      readSafetensorsRows(at("rows.safetensors"), { map: { layers: { 2: "half", 3: "single" } } }),
    ).rejects.toThrow(/"single" is \[6, 3\] of float32; expected \[6, 3\] of float16/);
  });
});

test("what is no file of the format is refused with its path", async () => {
  const scratch = await freshFolder();
  for (const [name, content] of [
    ["a.parquet", "not Parquet, but long enough"],
    ["b.parquet", ""],
    ["c.arrow", "neither is this an Arrow file"],
    ["d.npy", "x"],
    ["e.safetensors", "eeeeeeeeee"],
  ] as const) {
    const path = join(scratch, name);
    await writeFile(path, content);
    await expect(importRows(path)).rejects.toMatchObject({ code: "file_invalid", path });
  }
  const whole = await readFile(at("foreign.parquet"));
  for (const length of [4, 100, whole.length - 9, whole.length - 1]) {
    await writeFile(join(scratch, "a.parquet"), whole.subarray(0, length));
    await expect(importRows(join(scratch, "a.parquet"))).rejects.toMatchObject({ code: "file_invalid" });
  }
  await expect(importRows(join(scratch, "none.parquet"))).rejects.toMatchObject({ code: "read_failed" });
  await expect(importRows(scratch, { format: "npy", axis: [] })).rejects.toMatchObject({
    path: join(scratch, "d.npy"),
  });
});
