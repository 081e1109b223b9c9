import { join } from "node:path";
import { describe as group, expect, test } from "vitest";
import {
  describe,
  exportRows,
  layerTensor,
  lint,
  openDataset,
  rowsHash,
  viewOf,
  writeDataset,
} from "../../src/index.ts";
import { checkedSource } from "../../src/dataset/checked-source.ts";
import type { RowSource } from "../../src/dataset/row-source.ts";
import type { ColumnField, ColumnValue } from "../../src/shards/column-field.ts";
import type { RowBlock, RowNumbers } from "../../src/index.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { memorySource } from "./memory-source.ts";

const width = 4;
const field = (name: string, type: ColumnField["type"]): ColumnField => ({
  name,
  type,
  nullable: false,
  role: type === "bool" ? "label" : "standard",
});
const fields = [field("example", "utf8"), field("group", "utf8"), field("truth", "bool")];

/** Ten rows of two layers, as one would write them; what is given takes the place of what is right. */
function made(wrong: Partial<RowSource> & { block?: Partial<RowBlock> } = {}): RowSource {
  const values = [0, 1].map((layer) => new Float32Array(40).map((_, i) => 1000 * layer + i));
  const columns = new Map<string, ColumnValue[]>([
    ["example", Array.from({ length: 10 }, (_, i) => `e${i}`)],
    ["group", Array.from({ length: 10 }, (_, i) => `g${i}`)],
    ["truth", Array.from({ length: 10 }, (_, i) => i % 2 === 0)],
  ]);
  const { block, ...shape } = wrong;
  const whole: RowBlock = { rows: 10, columns, layers: values, ...block };
  return {
    rows: 10,
    layers: [0, 1],
    hiddenSize: width,
    dtype: "float32",
    fields,
    columns: fields.map(({ name }) => name),
    column: (name) => Promise.resolve([...(whole.columns.get(name) as ColumnValue[])]),
    layer: (layer) => Promise.resolve(whole.layers[layer] as Float32Array<ArrayBuffer>),
    layerBits: () => Promise.reject(new Error("float32")),
    // eslint-disable-next-line @typescript-eslint/require-await
    async *layerBlocks(layer) {
      yield { first: 0, rows: whole.rows, numbers: whole.layers[layer] as RowNumbers<ArrayBuffer> };
    },
    // eslint-disable-next-line @typescript-eslint/require-await
    async *blocks() {
      yield whole;
    },
    ...shape,
  };
}

const float32 = (length: number) => new Float32Array(length);
const withColumn = (name: string, values: ColumnValue[]) => {
  const right = ["example", "group", "truth"].map((one): [string, ColumnValue[]] => [
    one,
    Array.from({ length: 10 }, (_, i) => (one === "truth" ? i % 2 === 0 : `${one}${i}`)),
  ]);
  return { columns: new Map([...right, [name, values]]) };
};
const lies: [string, RowSource, string][] = [
  ["more rows than it gives", made({ rows: 12 }), "12 "],
  ["fewer rows than it gives", made({ rows: 8 }), "8 "],
  ["a layer that is too short", made({ block: { layers: [float32(40), float32(36)] } }), "40 numbers"],
  ["a layer that is too long", made({ block: { layers: [float32(40), float32(44)] } }), "40 numbers"],
  ["one layer of two", made({ block: { layers: [float32(40)] } }), "layer"],
  ["float32 for bfloat16", made({ dtype: "bfloat16" }), "Uint16Array"],
  [
    "16 bits for float32",
    made({ block: { layers: [new Uint16Array(40), new Uint16Array(40)] } }),
    "Float32Array",
  ],
  [
    "float64",
    made({ block: { layers: [new Float64Array(40), new Float64Array(40)] as never } }),
    "Float32Array",
  ],
  ["too few labels", made({ block: withColumn("truth", [true, false]) }), "10 values"],
  ["too many labels", made({ block: withColumn("truth", Array<boolean>(20).fill(true)) }), "10 values"],
  [
    "an example that is null",
    made({ block: withColumn("example", Array<null>(10).fill(null)) }),
    "a value in",
  ],
  [
    "half a surrogate pair in a group",
    made({ block: withColumn("group", Array<string>(10).fill("a\ud800")) }),
    "surrogate",
  ],
  ["groups that are numbers", made({ block: withColumn("group", Array<number>(10).fill(1)) }), "a text"],
];
const uses: Readonly<Record<string, (source: RowSource, to: string) => Promise<unknown>>> = {
  rowsHash: (source) => rowsHash(source),
  describe: (source) => describe(source),
  lint: (source) => lint(source),
  "a view": async (source) => rowsHash(await viewOf(source).filter({ truth: [true, false] })),
  "a view that is written": async (source, to) =>
    viewOf(source)
      .filter({ truth: [true, false] })
      .write(to),
  parquet: (source, to) => exportRows(source, `${to}.parquet`, { format: "parquet" }),
  arrow: (source, to) => exportRows(source, `${to}.arrow`, { format: "arrow" }),
  npy: (source, to) => exportRows(source, to, { format: "npy" }),
  safetensors: (source, to) => exportRows(source, `${to}.safetensors`, { format: "safetensors" }),
};

group.each(Object.entries(uses))("a source of one's own, by %s", (_, use) => {
  test("that is right is taken", async () => {
    await use(made(), join(await freshFolder(), "to"));
  });

  test.each(lies)("with %s is refused", async (_name, source, expected) => {
    const using = use(source, join(await freshFolder(), "to"));
    await expect(using).rejects.toMatchObject({ code: "source_invalid" });
    await expect(using).rejects.toThrow(expected);
  });
});

test.each([
  ["layers: 1, 0", { layers: [1, 0] }],
  ["layers: 0, 0", { layers: [0, 0] }],
  ["layers: 0, 1.5", { layers: [0, 1.5] }],
  ["layers: -5, 1", { layers: [-5, 1] }],
  ["rows: 2.5", { rows: 2.5 }],
  ["hiddenSize: 0", { hiddenSize: 0 }],
  ["dtype: float64", { dtype: "float64" as never }],
  ["fields example, group, truth and columns example", { columns: ["example"] }],
])("a shape with %s is refused", (found, shape) => {
  expect(() => checkedSource(made(shape))).toThrow(found);
});

test("a tensor of a layer of another length is refused", async () => {
  await expect(layerTensor(made({ rows: 12 }), 1)).rejects.toMatchObject({ code: "source_invalid" });
});

test("nothing of a text is lost: half a surrogate pair is refused by what writes, and no folder is left", async () => {
  const to = join(await freshFolder(), "to");
  const source = made({
    block: withColumn(
      "example",
      Array.from({ length: 10 }, (_, i) => `${i}\ud800`),
    ),
  });
  await expect(writeDataset(to, source, { how: "test", from: [] })).rejects.toMatchObject({
    code: "column_invalid",
  });
  await expect(openDataset(to)).rejects.toMatchObject({ code: "not_a_dataset" });
  await expect(writeDataset(to, made(), { how: "test", from: [], shardRows: 0 })).rejects.toThrow(
    /shardRows: 0; allowed: a number of at least 1/,
  );
});

test("a dataset is not written of more rows than were given", async () => {
  const to = await freshFolder();
  await expect(writeDataset(to, made({ rows: 12 }), { how: "test", from: [] })).rejects.toMatchObject({
    code: "source_invalid",
  });
});

test("reads of a right source are what they were; one's own views are not checked again", async () => {
  const source = memorySource({ rows: 100, dtype: "bfloat16" });
  const checked = checkedSource(source);
  expect(await checked.layer(2)).toEqual(await source.layer(2));
  expect(await checked.layerBits(-1)).toEqual(await source.layerBits(-1));
  expect(await checked.column("token_ids")).toEqual(await source.column("token_ids"));
  expect(await rowsHash(checked)).toBe(await rowsHash(source));
  const view = viewOf(source);
  expect(checkedSource(view)).not.toBe(view);
  const filtered = await view.filter({ truth: true });
  expect(checkedSource(filtered)).toBe(filtered);
});
