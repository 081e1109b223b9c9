import { openSafetensors, writeNpy, writeSafetensors } from "@residua/lens";
import fc from "fast-check";
import { readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readNpyRows, readSafetensorsRows } from "../../src/convert/read-tensors.ts";
import { writeNpyFolder, writeSafetensorsRows } from "../../src/convert/write-tensors.ts";
import { viewOf } from "../../src/dataset/views/view-methods.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { memorySource } from "../dataset/memory-source.ts";
import { anyRows, expectSameRows, sourceOf } from "./any-source.ts";

const bytes = (values: ArrayBufferView): Uint8Array => new Uint8Array(values.buffer);

describe("rows through arrays", () => {
  test("any rows come back bit for bit, through safetensors and .npy", async () => {
    const folder = await freshFolder();
    let n = 0;
    await fc.assert(
      fc.asyncProperty(
        anyRows,
        fc.constantFrom("float32" as const, "bits" as const),
        async (rows, numbers) => {
          const path = join(folder, String(n++));
          const source = sourceOf(rows);
          await writeSafetensorsRows(source, `${path}.safetensors`);
          await expectSameRows(await readSafetensorsRows(`${path}.safetensors`), source);
          await writeNpyFolder(source, path, { numbers });
          await expectSameRows(await readNpyRows(path), source);
        },
      ),
      { numRuns: 12 },
    );
  });

  test("a safetensors file has the rows in their own type", async () => {
    const path = join(await freshFolder(), "a.safetensors");
    const source = memorySource({ rows: 7, dtype: "bfloat16" });
    await writeSafetensorsRows(source, path);
    const file = await openSafetensors(path);
    expect(await file.read("layer_2")).toMatchObject({ dtype: "bfloat16", shape: [7, 4] });
    expect(Object.keys(file.metadata)).toEqual(["residua.rows", "residua.sums"]);
    await file.close();
    await expect(writeSafetensorsRows(source, path)).rejects.toMatchObject({ code: "file_exists" });
  });

  test("arrays of others: names, three axes, no columns, other row counts", async () => {
    const folder = await freshFolder();
    const values = Float32Array.from({ length: 24 }, (_, i) => i / 8);
    const path = join(folder, "acts.npy");
    await writeNpy(path, { dtype: "float32", shape: [2, 3, 4], bytes: bytes(values) });
    const source = await readNpyRows(path, { axis: [5, 9], dtype: "bfloat16" });
    expect({ layers: source.layers, rows: source.rows, hiddenSize: source.hiddenSize }).toEqual({
      layers: [5, 9],
      rows: 3,
      hiddenSize: 4,
    });
    expect(await source.layer(9)).toEqual(values.slice(12));
    expect(await source.column("example")).toEqual(["0", "1", "2"]);
    expect(source.columns).toEqual(["example", "group"]);
    await expect(readNpyRows(path)).rejects.toMatchObject({
      code: "column_invalid",
      message: expect.stringContaining("layer_L") as string,
    });
    await expect(readNpyRows(path, { axis: [1] })).rejects.toThrow(
      /\[2, 3, 4\]; expected 1 layers along the first axis/,
    );

    const tensors = join(folder, "t.safetensors");
    const stored = {
      dtype: "float64" as const,
      shape: [6, 4],
      bytes: bytes(Float64Array.from(values, (value) => value + 1e-9)),
    };
    await writeSafetensors(tensors, [{ name: "h.3", ...stored }], () => stored);
    await expect(readSafetensorsRows(tensors, { map: { layers: { 3: "h.3" } } })).rejects.toThrow(
      /float64.*dtype: "float32"/,
    );
    const exact = await readSafetensorsRows(tensors, { map: { layers: { 3: "h.3" } }, dtype: "float32" });
    await expect(exact.layer(3)).rejects.toMatchObject({
      code: "not_exact",
      message: expect.stringContaining("row 0") as string,
    });
    const rounded = await readSafetensorsRows(tensors, {
      map: { layers: { 3: "h.3" } },
      dtype: "float32",
      round: true,
    });
    expect(await rounded.layer(3)).toEqual(Float32Array.from(values, (value) => value + 1e-9));
    await writeNpyFolder(memorySource({ rows: 5, dtype: "float32" }), join(folder, "five"));
    const other = {
      map: { layers: { 3: "h.3" } },
      columns: join(folder, "five/columns.parquet"),
      dtype: "float32",
      round: true,
    } as const;
    await expect(readSafetensorsRows(tensors, other)).rejects.toThrow(/5 rows of columns; expected 6/);
  });

  test("arrays of integers are refused: their bytes are no floats", async () => {
    const folder = await freshFolder();
    const stored = [
      { dtype: "uint8", bytes: new Uint8Array(12) },
      { dtype: "int16", bytes: new Uint8Array(24) },
      { dtype: "int64", bytes: new Uint8Array(96) },
    ] as const;
    for (const { dtype, bytes } of stored) {
      const path = join(folder, `${dtype}.npy`);
      await writeNpy(path, { dtype, shape: [3, 4], bytes });
      for (const options of [{}, { dtype: "float32" as const }]) {
        const opening = readNpyRows(path, { map: { layers: { 0: dtype } }, ...options });
        await expect(opening).rejects.toMatchObject({ code: "column_invalid" });
        await expect(opening).rejects.toThrow(`holds ${dtype}`);
      }
    }
  });

  test("a folder written over keeps no layer of the rows before, and no other file goes", async () => {
    const folder = join(await freshFolder(), "a");
    const source = memorySource({ rows: 5, dtype: "float32" });
    await writeNpyFolder(source, folder);
    await writeNpy(join(folder, "mine.npy"), { dtype: "uint8", shape: [1], bytes: new Uint8Array(1) });
    await writeNpyFolder(await viewOf(source).select({ layers: [2] }), folder, { replace: true });
    expect(await readdir(folder)).toEqual(["columns.parquet", "layer_2.npy", "mine.npy"]);
    expect((await readNpyRows(folder)).layers).toEqual([2]);
  });

  test("a write over a safetensors file that is broken off leaves the rows before with their own columns", async () => {
    const folder = await freshFolder();
    const path = join(folder, "a.safetensors");
    const before = memorySource({ rows: 5, dtype: "float32" });
    await writeSafetensorsRows(before, path);
    const stop = new AbortController();
    const others = {
      ...sourceOf({
        ...{ dtype: "float32" as const, hiddenSize: 4, layers: [0], fields: before.fields.slice(0, 2) },
        columns: { example: ["v", "w", "x", "y", "z"], group: ["g", "g", "g", "g", "g"] },
        numbers: [new Float32Array(20)],
      }),
      layerBlocks: () => {
        stop.abort();
        return before.layerBlocks(2);
      },
    };
    const writing = writeSafetensorsRows(others, path, { replace: true, signal: stop.signal });
    await expect(writing).rejects.toThrow(/abort/);
    await expectSameRows(await readSafetensorsRows(path), before);
    expect(await readdir(folder)).toEqual(["a.columns.parquet", "a.safetensors"]);
  });

  test("a failed write leaves no whole folder", async () => {
    const folder = join(await freshFolder(), "a");
    const source = memorySource({ rows: 5, dtype: "float32" });
    const broken = {
      ...source,
      layerBlocks: () => {
        throw new Error("no more rows");
      },
    };
    await expect(writeNpyFolder(broken, folder)).rejects.toThrow("no more rows");
    expect(await readdir(dirname(folder))).toEqual([]);
  });

  test("a folder of .npy files that was not written to its end is not there, or refused", async () => {
    const folder = join(await freshFolder(), "a");
    const source = memorySource({ rows: 5, dtype: "float32" });
    const seen: string[] = [];
    const watched = {
      ...source,
      async *layerBlocks(layer: number) {
        yield* source.layerBlocks(layer);
        // As a process that is killed here leaves it.
        seen.push(...(await readdir(dirname(folder))).filter((name) => !name.startsWith(".")));
      },
    };
    await writeNpyFolder(watched, folder);
    expect(seen).toEqual([]);
    await expectSameRows(await readNpyRows(folder), source);
    await writeFile(join(folder, ".residua-writing"), "");
    await expect(readNpyRows(folder)).rejects.toThrow(/were being replaced.*export the rows again/);
    await writeNpyFolder(source, folder, { replace: true });
    await expectSameRows(await readNpyRows(folder), source);
  });
});
