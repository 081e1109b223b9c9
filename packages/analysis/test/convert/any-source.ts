import fc from "fast-check";
import { expect } from "vitest";
import type { RowSource } from "../../src/dataset/row-source.ts";
import { groupedSource } from "../../src/convert/grouped-source.ts";
import { datasetFields, type ColumnField, type ColumnValue } from "../../src/shards/column-field.ts";
import { makeNumbers, rowDtypes, type RowDtype, type RowNumbers } from "../../src/shards/row-dtype.ts";

export interface MadeRows {
  dtype: RowDtype;
  hiddenSize: number;
  layers: readonly number[];
  fields: readonly ColumnField[];
  columns: Readonly<Record<string, readonly ColumnValue[]>>;
  /** One a layer. */
  numbers: readonly RowNumbers[];
}

/** Rows in memory as a source. */
export function sourceOf({ columns, numbers, ...form }: MadeRows): RowSource {
  const { layers, hiddenSize } = form;
  return groupedSource({
    ...form,
    path: "memory",
    groups: [columns["example"]?.length ?? 0],
    readColumn: ({ name }, { from, to }) => Promise.resolve(columns[name]!.slice(from, to)),
    readLayer: (layer, { from, to }) =>
      Promise.resolve(
        numbers[layers.indexOf(layer)]!.slice(from * hiddenSize, to * hiddenSize) as RowNumbers<ArrayBuffer>,
      ),
  });
}

/** Every column, value and bit of two sources is the same. */
export async function expectSameRows(found: RowSource, expected: RowSource): Promise<void> {
  const { rows, layers, hiddenSize, dtype, fields } = expected;
  const form = { rows: found.rows, layers: found.layers, hiddenSize: found.hiddenSize, dtype: found.dtype };
  expect(form).toEqual({ rows, layers, hiddenSize, dtype });
  expect(found.fields).toEqual(fields);
  for (const name of expected.columns) expect(await found.column(name)).toEqual(await expected.column(name));
  for (const layer of layers) expect(await bitsOf(found, layer)).toEqual(await bitsOf(expected, layer));
}

async function bitsOf(source: RowSource, layer: number): Promise<Uint16Array | Uint32Array> {
  if (source.dtype !== "float32") return source.layerBits(layer);
  return new Uint32Array((await source.layer(layer)).buffer);
}

/** Well-formed text, with what trips codecs. */
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", "\0", "\uFEFFx", "𝄞", "e\u0301", "null", "NaN"),
);
const int32 = fc.oneof(fc.integer(), fc.constantFrom(0, -(2 ** 31), 2 ** 31 - 1));
const cells: Record<ColumnField["type"], fc.Arbitrary<ColumnValue>> = {
  utf8: text,
  bool: fc.boolean(),
  float64: fc.double(),
  int32,
  "int32[]": fc.array(int32, { maxLength: 4 }),
};

const others = fc.uniqueArray(
  fc.record({
    name: text.filter((name) => name !== "" && name !== "\0").map((name) => `x${name}`),
    type: fc.constantFrom(...(Object.keys(cells) as ColumnField["type"][])),
    nullable: fc.boolean(),
    role: fc.constantFrom("label" as const, "extra" as const),
  }),
  { maxLength: 3, selector: ({ name }) => name },
);

/** Any rows: every dtype and kind of column, nulls, odd texts, empty lists, every bit pattern. */
export const anyRows: fc.Arbitrary<MadeRows> = fc
  .record({
    dtype: fc.constantFrom(...rowDtypes),
    hiddenSize: fc.integer({ min: 1, max: 5 }),
    layers: fc
      .uniqueArray(fc.integer({ min: -1, max: 40 }), { minLength: 1, maxLength: 3 })
      .map((all) => all.sort((a, b) => a - b)),
    fields: others.map(datasetFields),
    rows: fc.integer({ min: 1, max: 40 }),
    seed: fc.nat(),
  })
  .chain(({ rows, fields, seed, ...form }) =>
    fc
      .record(
        Object.fromEntries(
          fields.map(({ name, type, nullable }) => {
            const cell = nullable ? fc.option(cells[type]) : cells[type];
            return [name, fc.array(cell, { minLength: rows, maxLength: rows })];
          }),
        ),
      )
      .map((columns) => ({
        ...form,
        fields,
        columns,
        numbers: form.layers.map((layer) => randomBits(form.dtype, rows * form.hiddenSize, seed + layer + 1)),
      })),
  );

/** Any bit pattern may come, NaN payloads included. */
function randomBits(dtype: RowDtype, length: number, seed: number): RowNumbers {
  const numbers = makeNumbers(dtype, length);
  const bits = new Uint16Array(numbers.buffer);
  let state = seed >>> 0;
  for (let i = 0; i < bits.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bits[i] = state >>> 16;
  }
  return numbers;
}
