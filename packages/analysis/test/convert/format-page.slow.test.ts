import { DuckDBInstance } from "@duckdb/node-api";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readArrow } from "../../src/convert/arrow-table.ts";
import { writeArrow } from "../../src/convert/write-arrow.ts";
import { readParquet } from "../../src/convert/read-parquet.ts";
import { rowsHash } from "../../src/convert/rows-hash.ts";
import { writeParquet } from "../../src/convert/write-parquet.ts";
import { writeSafetensorsRows, writeNpyFolder } from "../../src/convert/write-tensors.ts";
import { writeDataset } from "../../src/dataset/write-dataset.ts";
import { rowDtypes, type RowDtype } from "../../src/shards/row-dtype.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { memorySource } from "../dataset/memory-source.ts";
import { expectSameRows } from "./any-source.ts";
import { python, runPython } from "./python.ts";

let environment: ReturnType<typeof python>;
let page = "";
let convertPage = "";
beforeAll(async () => {
  environment = python();
  page = await readFile(join(import.meta.dirname, "../../docs/format.md"), "utf8");
  convertPage = await readFile(join(import.meta.dirname, "../../docs/convert.md"), "utf8");
});

const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(/```(\w+)\n(.*?)```/gs)]
    .filter(([, name]) => name === language)
    .map(([, , code = ""]) => code);

/** A folder with `runs/cities` and `cities.parquet`, as the page has them. */
async function cities(dtype: RowDtype) {
  const folder = await freshFolder();
  const dataset = await writeDataset(join(folder, "runs/cities"), memorySource({ rows: 23, dtype }), {
    how: "test",
    from: [],
    shardRows: 9,
  });
  await writeParquet(dataset, join(folder, "cities.parquet"), { rowGroupRows: 10 });
  return { folder, dataset };
}

describe("docs/format.md", () => {
  test.each(rowDtypes)("its Python reads a dataset of %s, and finds the hashes", async (dtype) => {
    if ("problem" in environment) throw new Error(environment.problem);
    const { folder, dataset } = await cities(dtype);
    const out = await runPython(environment.bin, blocks(page, "python").join("\n"), folder);
    const [shapes, hash] = out.trim().split("\n");
    expect(shapes).toBe("(23, 12) (23, 4) float32");
    expect(hash).toBe(await rowsHash(dataset));
  });

  test("its SQL runs on the exported file, and on columns of every kind", async () => {
    const { folder } = await cities("bfloat16");
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    await connection.run(`SET file_search_path = '${folder}'`);
    const [groups, similar] = await Promise.all(
      blocks(page, "sql").map(async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJS()),
    );
    expect(groups?.map((row) => row["group"])).toEqual(["g0", "g1", "g2"]);
    expect(similar?.length).toBe(5);
    const source = memorySource({ rows: 23, dtype: "bfloat16" });
    const read = await connection.runAndReadAll("SELECT *, \"layer_-1\"[2] AS second FROM 'cities.parquet'");
    const rows = read.getRowObjectsJS();
    const layer = await source.layer(-1);
    expect(rows.map((row) => row["second"])).toEqual(Array.from({ length: 23 }, (_, i) => layer[4 * i + 1]));
    for (const name of source.columns)
      expect(rows.map((row) => row[name])).toEqual(await source.column(name));
    connection.closeSync();
  });
});

describe("other tools", () => {
  test.each(rowDtypes)(
    "rows of %s that pyarrow read and wrote again are the same, bit for bit",
    async (dtype) => {
      if ("problem" in environment) throw new Error(environment.problem);
      const { folder, dataset } = await cities(dtype);
      const again = `import pyarrow.parquet as pq
table = pq.read_table("cities.parquet")
assert str(table.schema.field("layer_2").type) == "fixed_size_list<item: float not null>[4]", table.schema
for version, page in (("1.0", "1.0"), ("2.6", "2.0")):
    pq.write_table(table, f"again-{version}.parquet", row_group_size=6, version=version, data_page_version=page)`;
      await runPython(environment.bin, again, folder);
      for (const version of ["1.0", "2.6"]) {
        await expectSameRows(await readParquet(join(folder, `again-${version}.parquet`)), dataset);
      }
    },
  );

  test("rows that pyarrow took out of a file are read: hashes that it copied are of other rows", async () => {
    if ("problem" in environment) throw new Error(environment.problem);
    const { folder, dataset } = await cities("bfloat16");
    await writeArrow(dataset, join(folder, "cities.arrow"));
    const some = `import pyarrow as pa, pyarrow.parquet as pq
pq.write_table(pq.read_table("cities.parquet").slice(3, 9), "some.parquet")
table = pa.ipc.open_file("cities.arrow").read_all()
assert b"residua.sums" in table.schema.metadata
with pa.ipc.new_file("some.arrow", table.schema) as file:
    file.write_table(table.slice(3, 9))`;
    await runPython(environment.bin, some, folder);
    const bits = (await dataset.layerBits(2)).slice(12, 48);
    for (const rows of [
      await readParquet(join(folder, "some.parquet")),
      await readArrow(join(folder, "some.arrow")),
    ])
      expect([rows.dtype, await rows.layerBits(2)]).toEqual(["bfloat16", bits]);
  });

  test("the Python of docs/convert.md reads safetensors and .npy", async () => {
    if ("problem" in environment) throw new Error(environment.problem);
    const { folder, dataset } = await cities("float16");
    await writeSafetensorsRows(dataset, join(folder, "cities.safetensors"));
    await writeNpyFolder(dataset, join(folder, "cities"));
    const out = await runPython(environment.bin, blocks(convertPage, "python").join("\n"), folder);
    expect(out.trim()).toBe("(23, 4) float16 23");
  });
});
