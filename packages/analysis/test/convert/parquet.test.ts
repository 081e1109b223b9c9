import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readParquet } from "../../src/convert/read-parquet.ts";
import { writeParquet } from "../../src/convert/write-parquet.ts";
import { datasetFields } from "../../src/shards/column-field.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { memorySource } from "../dataset/memory-source.ts";
import { sourceOf } from "./any-source.ts";

describe("rows through Parquet", () => {
  test.each(["bfloat16", "float16"] as const)(
    "every pattern of %s survives as float32, NaN payloads included",
    async (dtype) => {
      const path = join(await freshFolder(), "a.parquet");
      const columns = Object.fromEntries(
        datasetFields([]).map(({ name, nullable }) => [name, Array(256).fill(nullable ? null : "x")]),
      );
      const bits = Uint16Array.from({ length: 65_536 }, (_, i) => i);
      const source = sourceOf({
        dtype,
        hiddenSize: 256,
        layers: [0],
        fields: datasetFields([]),
        columns,
        numbers: [bits],
      });
      await writeParquet(source, path);
      expect(await (await readParquet(path)).layerBits(0)).toEqual(bits);
    },
  );

  test("blocks of any size are the rows", async () => {
    const path = join(await freshFolder(), "a.parquet");
    const source = memorySource({ rows: 23, dtype: "bfloat16" });
    await writeParquet(source, path, { rowGroupRows: 7 });
    const read = await readParquet(path);
    for (const rows of [1, 3, 100]) {
      let at = 0;
      for await (const block of read.blocks({ rows })) {
        expect(block.columns.get("token")).toEqual((await source.column("token")).slice(at, at + block.rows));
        at += block.rows;
      }
      expect(at).toBe(23);
    }
  });

  test("a file that is there is kept, unless told otherwise; a source that fails leaves nothing", async () => {
    const folder = await freshFolder();
    const path = join(folder, "a.parquet");
    const source = memorySource({ rows: 3, dtype: "float32" });
    await writeParquet(source, path);
    await expect(writeParquet(source, path)).rejects.toMatchObject({ code: "file_exists", path });
    await writeParquet(memorySource({ rows: 5, dtype: "float32" }), path, { replace: true });
    expect((await readParquet(path)).rows).toBe(5);
    const stop = new AbortController();
    stop.abort(new Error("stopped"));
    await expect(writeParquet(source, path, { replace: true, signal: stop.signal })).rejects.toThrow(
      "stopped",
    );
    expect(await readdir(folder)).toEqual(["a.parquet"]);
    expect((await readParquet(path)).rows).toBe(5);
  });
});
