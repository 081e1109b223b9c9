import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readArrow } from "../../src/convert/arrow-table.ts";
import { parquetTable, readParquet } from "../../src/convert/read-parquet.ts";
import { loadExamples } from "../../src/examples/load-examples.ts";

const at = (name: string): string => join(import.meta.dirname, "../../fixtures/convert-foreign", name);
const texts = ["\uFEFFa", "a", "\uFEFF over twelve bytes"];

describe("64-bit offsets, views and dictionaries of pyarrow's Arrow files", () => {
  test("rows: no text loses its U+FEFF, so that two ids stay two; large lists are lists", async () => {
    const source = await readArrow(at("wide.arrow"), { map: { leaveOut: ["notes"] } });
    expect(await source.column("example")).toEqual(texts);
    expect(await source.column("view")).toEqual([null, ...texts.slice(1)]);
    expect(await source.column("words")).toEqual([texts[2], null, texts[0]]);
    expect(await source.column("token_ids")).toEqual([[1, 2], [], null]);
    expect(await source.layer(0)).toEqual(Float32Array.of(1.5, -0, 2, 3, 4, 5));
    for await (const block of source.blocks({ rows: 2 }))
      expect(block.columns.get("view")).toEqual(block.rows === 2 ? [null, texts[1]] : [texts[2]]);
  });

  test("examples: prompts, dictionaries and nested texts keep it too", async () => {
    const columns = { prompt: "example", extra: ["view", "words", "notes"] };
    const loaded = await loadExamples(at("wide.arrow"), { columns });
    expect(loaded.map(({ prompt }) => prompt)).toEqual(texts);
    expect(loaded.map(({ extra }) => extra)).toEqual([
      { view: null, words: texts[2], notes: JSON.stringify({ a: [texts[0]] }) },
      { view: texts[1], words: null, notes: JSON.stringify({ a: [texts[1]] }) },
      { view: texts[2], words: texts[0], notes: JSON.stringify({ a: [texts[2]] }) },
    ]);
  });

  test("examples: a text that is not UTF-8 is refused, not changed", async () => {
    await expect(loadExamples(at("notutf8.arrow"))).rejects.toThrow(/column "prompt" has bytes.*not UTF-8/);
  });

  test("texts of no byte are whole; a column that cannot be token ids is named", async () => {
    expect(await (await readArrow(at("empty.arrow"))).column("note")).toEqual(["", "", ""]);
    await expect(readArrow(at("struct.arrow"))).rejects.toMatchObject({ code: "column_invalid" });
  });
});

describe("types that Parquet stores as whole numbers", () => {
  test("durations are refused by name, as those of Arrow are, also inside others", async () => {
    const path = at("durations.parquet");
    for (const [column, type] of [
      ["duration-s", "SECOND"],
      ["duration-ms", "MILLISECOND"],
      ["duration-us", "MICROSECOND"],
      ["duration-ns", "NANOSECOND"],
      ["dictionary-duration", "MILLISECOND"],
      ["list-duration", "SECOND"],
      ["struct-duration", "MICROSECOND"],
    ] as const) {
      const words = new RegExp(`column "${column}" is.* Duration<${type}>`);
      await expect(loadExamples(path, { columns: { extra: [column] } })).rejects.toThrow(words);
      const file = await parquetTable(path);
      const leaveOut = file.schema.fields.map(({ name }) => name).filter((name) => name !== column);
      const map = { leaveOut, layers: { 0: "layer_0" } };
      await expect(readParquet(path, { map })).rejects.toThrow(words);
    }
  });

  test("a time finer than a millisecond is refused, not rounded", async () => {
    const loading = loadExamples(at("durations.parquet"), { columns: { extra: ["fine"] } });
    await expect(loading).rejects.toThrow(/column "fine" has times finer than a millisecond/);
  });
});
