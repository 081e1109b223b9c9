import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { describe as describeSource } from "../../../src/dataset/health/describe.ts";
import {
  datasetDescriptionSchema,
  type DatasetDescription,
} from "../../../src/dataset/health/description-schema.ts";
import { memorySource } from "../memory-source.ts";
import { tableSource } from "./table-source.ts";

interface Fixture {
  rows: number;
  hiddenSize: number;
  bits: Record<string, number[]>;
  promptLengths: number[];
  expected: Pick<DatasetDescription, "promptLengths" | "repeatedRows" | "layers">;
}

/** Every number within a relative 1e-12, every other value equal. */
function expectClose(found: unknown, expected: unknown, path = ""): void {
  if (typeof expected === "number" && typeof found === "number") {
    expect(Math.abs(found - expected), path).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(expected)));
  } else if (typeof expected === "object" && expected !== null) {
    expect(Object.keys(found as object).sort(), path).toEqual(Object.keys(expected).sort());
    for (const [key, value] of Object.entries(expected))
      expectClose((found as Record<string, unknown>)[key], value, `${path}.${key}`);
  } else expect(found, path).toEqual(expected);
}

test("numbers equal NumPy's within 1e-12", async () => {
  const url = new URL("../../../fixtures/dataset-health.json", import.meta.url);
  const { rows, hiddenSize, bits, promptLengths, expected } = JSON.parse(
    await readFile(url, "utf8"),
  ) as Fixture;
  const source = tableSource({
    dtype: "bfloat16",
    hiddenSize,
    layers: new Map([-1, 3].map((layer) => [layer, Uint16Array.from(bits[layer]!)])),
    columns: {
      example: promptLengths.map((_, i) => `e${i}`),
      group: promptLengths.map((_, i) => `g${i % 7}`),
      prompt_length: promptLengths,
    },
  });
  const description = await describeSource(source);
  expectClose(
    {
      promptLengths: description.promptLengths,
      repeatedRows: description.repeatedRows,
      layers: description.layers,
    },
    expected,
  );
  expect(description).toMatchObject({ rows, examples: rows, groups: { count: 7, isExample: false } });
  expect(datasetDescriptionSchema.parse(JSON.parse(JSON.stringify(description)))).toEqual(description);
});

test("labels by value and split, groups, positions", async () => {
  const source = tableSource({
    columns: {
      example: ["a", "a", "b", "c", "d"],
      group: ["g", "g", "g", "h", "h"],
      split: ["train", "train", "train", "test", null],
      position: [3, 4, 0, null, 1],
      truth: [true, true, false, true, null],
      score: [1, 1, 2, Number.NaN, 4],
    },
  });
  const { labels, groups, rowsPerExample, splits, positions, examples } = await describeSource(source);
  expect([examples, groups.count, rowsPerExample?.max, splits]).toEqual([
    4,
    2,
    2,
    { train: 3, test: 1, "": 1 },
  ]);
  expect(groups.examples).toMatchObject({ mean: 2 });
  expect(positions).toMatchObject({ missing: 1, summary: { min: 0, max: 4, mean: 2 } });
  expect(labels[0]).toMatchObject({
    name: "truth",
    distinct: 2,
    missing: 1,
    values: [
      { value: true, rows: 3, examples: 2 },
      { value: false, rows: 1, examples: 1 },
      { value: null, rows: 1, examples: 1 },
    ],
    splits: { test: [{ value: true, rows: 1, examples: 1 }] },
    numbers: null,
  });
  expect(labels[1]).toMatchObject({ numbers: { count: 4, mean: 2, max: 4 } });
  expect(labels[1]!.values).toContainEqual({ value: "NaN", rows: 1, examples: 1 });
});

test("rows of the token that every example begins with", async () => {
  const columns = {
    example: ["a", "a", "b", "b"],
    group: ["a", "a", "b", "b"],
    position: [0, 1, 0, 4],
    token_id: [1, 7, 1, 1],
  };
  const bos = async (more: object, options = {}) =>
    (await describeSource(tableSource({ columns: { ...columns, ...more } }), options)).bos;
  // The third row of id 1 stands inside a text.
  expect(await bos({})).toMatchObject({ tokenId: 1, rows: 2, share: 0.5 });
  expect(await bos({ token_ids: [[1, 7], null, [2, 1], null] })).toMatchObject({
    tokenId: null,
    source: "examples begin with 2 different tokens",
  });
  expect(await bos({ position: [1, 2, 3, 4] })).toMatchObject({
    tokenId: null,
    source: "no example tells its first token",
  });
  expect(await bos({}, { bosTokenId: 7 })).toMatchObject({ tokenId: 7, rows: 0, source: "given" });
});

test("rows that are all broken, and no rows at all, give null, not NaN", async () => {
  const broken = tableSource({
    layers: new Map([[0, new Float32Array(6).fill(Number.NaN)]]),
    columns: { example: ["a", "b"], group: ["a", "b"] },
  });
  const [layer] = (await describeSource(broken)).layers;
  expect(layer).toMatchObject({ norms: null, meanMagnitude: null, nonFinite: { rows: 2, nan: 6 } });
  for (const source of [broken, memorySource({ rows: 0, dtype: "float16" })]) {
    const description = await describeSource(source);
    expect(datasetDescriptionSchema.parse(JSON.parse(JSON.stringify(description)))).toEqual(description);
  }
});

test("equal rows are equal in every layer", async () => {
  const numbers = Float32Array.of(1, 2, 1, 2, 1, 2);
  const other = Float32Array.of(5, 6, 5, 6, 5, 7);
  const columns = { example: ["a", "b", "c"], group: ["a", "b", "c"] };
  const repeated = async (layers: Map<number, Float32Array>) =>
    (await describeSource(tableSource({ hiddenSize: 2, layers, columns }))).repeatedRows.rows;
  expect(await repeated(new Map([[0, numbers]]))).toBe(2);
  expect(
    await repeated(
      new Map([
        [0, numbers],
        [1, other],
      ]),
    ),
  ).toBe(1);
});
