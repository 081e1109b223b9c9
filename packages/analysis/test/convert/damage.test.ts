import fc from "fast-check";
import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exportRows, importDataset, importRows, rowFormats } from "../../src/convert/convert-rows.ts";
import { readArrow } from "../../src/convert/arrow-table.ts";
import { readParquet } from "../../src/convert/read-parquet.ts";
import { readSafetensorsRows } from "../../src/convert/read-tensors.ts";
import { rowsHash } from "../../src/convert/rows-hash.ts";
import { DatasetError } from "../../src/dataset/dataset-error.ts";
import { viewOf } from "../../src/dataset/views/view-methods.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { memorySource } from "../dataset/memory-source.ts";

/** Everything that a dataset would have of a file. */
async function facts(path: string): Promise<unknown> {
  const source = await importRows(path);
  const { rows, fields, layers, dtype, hiddenSize, about } = source;
  return { hash: await rowsHash(source), rows, fields, layers, dtype, hiddenSize, about };
}

/** Changes the first of these numbers, where they stand in a file. */
async function changeNumber(path: string, numbers: Float32Array): Promise<void> {
  const bytes = await readFile(path);
  const at = bytes.indexOf(Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  expect(at).toBeGreaterThan(0);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  await writeFile(path, bytes);
}

describe("exported files that were damaged", () => {
  test.each(rowFormats)("one bit of %s changed: the same rows, or a DatasetError", async (format) => {
    const folder = await freshFolder();
    const path = join(folder, `a.${format}`);
    await exportRows(memorySource({ rows: 4, dtype: "bfloat16" }), path, {
      format,
      ...(format === "parquet" && { compression: "none" }),
    });
    const expected = await facts(path);
    const files = {
      parquet: [path],
      arrow: [path],
      safetensors: [path, join(folder, "a.columns.parquet")],
      npy: [join(path, "layer_2.npy"), join(path, "columns.parquet")],
    }[format];
    for (const file of files) {
      const whole = await readFile(file);
      await fc.assert(
        fc.asyncProperty(fc.nat(whole.length * 8 - 1), async (bit) => {
          const bytes = Buffer.from(whole);
          bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
          await writeFile(file, bytes);
          const found = await facts(path).catch((error: unknown) => error);
          if (!(found instanceof DatasetError)) expect(found).toEqual(expected);
        }),
        { numRuns: 40 },
      );
      await writeFile(file, whole);
    }
  });

  test.each(rowFormats)(
    "a number of %s that is another one: the column and the file are named",
    async (format) => {
      const folder = await freshFolder();
      const path = join(folder, `a.${format}`);
      const source = memorySource({ rows: 25, dtype: "float32" });
      await exportRows(source, path, {
        format,
        ...(format === "parquet" && { compression: "none", rowGroupRows: 10 }),
      });
      const file = format === "npy" ? join(path, "layer_2.npy") : path;
      const layer = await source.layer(2);
      // The bytes of Parquet lie apart: those of all first bytes of a row group.
      if (format === "parquet") {
        const bytes = await readFile(path);
        const of = new Uint8Array(layer.buffer, 0, 4 * 40).filter((_, i) => i % 4 === 0);
        const at = bytes.indexOf(of);
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
        await writeFile(path, bytes);
      } else await changeNumber(file, layer.slice(-2));
      const differs = {
        code: "file_checksum",
        message: expect.stringMatching(
          /a\.\w+: column "layer_2" has other values than were written .*restore it/,
        ) as string,
      };
      const opened = await importRows(path);
      expect(await opened.layer(-1)).toEqual(await source.layer(-1));
      await expect(opened.layer(2)).rejects.toMatchObject(differs);
      await expect(importDataset(path, join(folder, "d"))).rejects.toMatchObject(differs);
      await expect(
        exportRows(opened, join(folder, "again.arrow"), { format: "arrow" }),
      ).rejects.toMatchObject(differs);
      await expect(viewOf(opened).write(join(folder, "v"))).rejects.toMatchObject(differs);
      const unchecked = await importRows(path, { unchecked: true });
      expect(await unchecked.layer(2)).not.toEqual(layer);
      // Some of the rows are read as they are.
      expect((await (await viewOf(opened).filter({ position: 3 })).layer(2)).length).toBe(4);
    },
  );

  test("a column, and a layer read as another type or by another name, are compared with what was written", async () => {
    const path = join(await freshFolder(), "a.arrow");
    await exportRows(memorySource({ rows: 9, dtype: "bfloat16" }), path, { format: "arrow" });
    const whole = await readFile(path);
    const change = async (of: Buffer, by: number): Promise<void> => {
      const bytes = Buffer.from(whole);
      const at = bytes.indexOf(of);
      expect(at).toBeGreaterThan(0);
      bytes.writeUInt8(bytes.readUInt8(at) ^ by, at);
      await writeFile(path, bytes);
    };
    await change(Buffer.from(" t1é"), 1);
    await expect((await readArrow(path)).column("token")).rejects.toThrow(
      /a\.arrow: column "token" has other/,
    );
    await change(Buffer.from("g0g0g1"), 1);
    const map = { example: "group", layers: { 5: "layer_2" }, leaveOut: ["example", "layer_-1"] };
    await expect((await readArrow(path, { map })).column("example")).rejects.toThrow(
      /column "group" has other/,
    );
    const float = Buffer.alloc(4);
    float.writeUInt16LE(5 * 2_749 + 2 * 31, 2);
    await change(float, 1);
    await expect((await readArrow(path, { map, dtype: "float32" })).layer(5)).rejects.toThrow(
      /column "layer_2" has other/,
    );
  });

  test("a header that was changed, or cannot be found any more, is refused", async () => {
    const folder = await freshFolder();
    for (const format of ["parquet", "arrow", "safetensors"] as const) {
      const path = join(folder, `a.${format}`);
      await exportRows(memorySource({ rows: 4, dtype: "bfloat16" }), path, { format });
      const whole = await readFile(path, "latin1");
      const texts = [
        ["own", "owm"],
        ['"stored":"float32"', '"stored":"float33"'],
        ['"nullable":false,"role":"extra"', '"nullable":false,"role":"label"'],
        ["residua.rows", "residua.rowr"],
        ["residua.sums", "residua.sumr"],
      ] as const;
      for (const [before, after] of texts) {
        const escaped = (text: string): string =>
          format === "safetensors" ? text.replaceAll('"', '\\"') : text;
        const changed = whole.replaceAll(escaped(before), escaped(after));
        if (changed === whole) continue;
        await writeFile(path, changed, "latin1");
        const opening = facts(path);
        // Without its hashes, and with all else as it was, an Arrow or safetensors file is one of before there were any.
        if (before === "residua.sums" && format !== "parquet") await opening;
        else await expect(opening, `${format} ${before}`).rejects.toThrow(/metadata residua\.(rows|sums) /);
      }
    }
  });

  test("columns beside tensors of another export, or none, are refused", async () => {
    const folder = await freshFolder();
    const at = (name: string): string => join(folder, name);
    await exportRows(memorySource({ rows: 5, dtype: "float16" }), at("a.safetensors"), {
      format: "safetensors",
    });
    await exportRows(memorySource({ rows: 5, dtype: "bfloat16" }), at("b.safetensors"), {
      format: "safetensors",
    });
    await copyFile(at("b.columns.parquet"), at("a.columns.parquet"));
    await expect(readSafetensorsRows(at("a.safetensors"))).rejects.toThrow(
      /other metadata residua\.rows than in a\.safetensors/,
    );
    await rm(at("a.columns.parquet"));
    await expect(readSafetensorsRows(at("a.safetensors"))).rejects.toThrow(/no column "example"/);
    expect((await readSafetensorsRows(at("a.safetensors"), { unchecked: true })).rows).toBe(5);
    await exportRows(memorySource({ rows: 5, dtype: "float16" }), at("n"), { format: "npy" });
    await rename(at("n/layer_2.npy"), at("n/layer_3.npy"));
    await expect(importRows(at("n"))).rejects.toThrow(/n: no column "layer_2"; expected every column/);
  });

  test("a layer that was laid beside those of an export is refused, and the folder has the rights of any other", async () => {
    const folder = await freshFolder();
    const to = join(folder, "rows");
    await exportRows(memorySource({ rows: 5, dtype: "float16" }), to, { format: "npy" });
    await mkdir(join(folder, "other"));
    expect((await stat(to)).mode).toBe((await stat(join(folder, "other"))).mode);
    await copyFile(join(to, "layer_2.npy"), join(to, "layer_9.npy"));
    await expect(importRows(to)).rejects.toMatchObject({
      code: "file_checksum",
      found: "an array layer_9 that was not written with the others",
    });
    expect((await importRows(to, { unchecked: true })).layers).toContain(9);
    expect((await importRows(to, { map: { layers: { 2: "layer_2" } } })).layers).toEqual([2]);
  });

  test("a folder of Parquet files: each is compared with its own hashes, and all must be of one kind", async () => {
    const folder = await freshFolder();
    const part = (name: string, dtype: "float16" | "bfloat16", rows: number) =>
      exportRows(memorySource({ rows, dtype }), join(folder, name), { format: "parquet", numbers: "bits" });
    await part("1.parquet", "float16", 9);
    await part("2.parquet", "float16", 4);
    const both = await readParquet(folder);
    expect((await both.layerBits(2)).length).toBe(4 * 13);
    await rm(join(folder, "2.parquet"));
    await part("2.parquet", "bfloat16", 4);
    await expect(readParquet(folder)).rejects.toThrow(
      /2\.parquet: other metadata residua\.rows than the first/,
    );
  });
});
