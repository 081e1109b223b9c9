import { describe, expect, test } from "vitest";
import { loadExamples } from "../../src/examples/load-examples.ts";
import { fileOf, fixture, jsonFixture } from "./example-files.ts";

/** What pandas put into the files. */
const cities = jsonFixture("cities.json") as {
  id: string;
  statement: string;
  label: boolean;
  city: string;
  fold: string | null;
  score: number;
  count: number;
  code: string;
  wide: string | null;
}[];
const columns = { prompt: "statement", group: "city", split: "fold", labels: ["label", "score"] };
const expected = cities.map(({ id, statement, city, fold, label, score, count, code, wide }) => ({
  id,
  prompt: statement,
  group: city,
  ...(fold !== null && { split: fold }),
  labels: { label, score },
  extra: { count, code, wide },
}));

describe("what pandas and pyarrow wrote is read as it was", () => {
  test.each(["cities.jsonl", "cities.parquet", "cities-snappy.parquet", "cities.arrow", "cities.arrows"])(
    "%s",
    async (file) => {
      // pandas writes no group of nothing; here it is the empty text, which is no group.
      const options = { columns: { ...columns, group: "code" } };
      const examples = await loadExamples(fixture(file), options);
      expect(examples).toEqual(
        expected.map(({ extra: { code, ...extra }, group, ...example }) => ({
          ...example,
          group: code,
          extra: { city: group, ...extra },
        })),
      );
    },
  );

  test.each(["cities.csv", "cities-index.csv"])(
    "%s, which tells nothing from an empty text",
    async (file) => {
      const examples = await loadExamples(fixture(file), { columns });
      const index = file === "cities.csv" ? [{}, {}, {}] : [0, 1, 2].map((i) => ({ "Unnamed: 0": i }));
      expect(examples).toEqual(
        expected.map(({ group, extra, ...example }, i) => ({
          ...example,
          ...(group !== "" && { group }),
          extra: { ...index[i], ...extra },
        })),
      );
    },
  );

  test("J3: whole numbers beyond 2^53 keep their digits in every format, as ids and in columns", async () => {
    for (const file of ["cities.jsonl", "cities.csv", "cities.parquet", "cities.arrow", "cities.arrows"]) {
      const examples = await loadExamples(fixture(file), { columns: { prompt: "statement" } });
      expect(
        examples.map(({ id }) => id),
        file,
      ).toEqual(["9007199254740993", "9007199254740994", "7"]);
      expect(
        examples.map(({ extra }) => extra?.["wide"]),
        file,
      ).toEqual(["1152921504606846977", null, "3"]);
    }
  });
});

test.each(["types.parquet", "types.arrow"])("%s: each type that Arrow has for such things", async (file) => {
  const [first, second] = await loadExamples(fixture(file));
  expect(first).toEqual({
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
    ],
    labels: { truth: true, n: 1 },
    extra: {
      label: "x",
      int8: 1,
      uint64: "1",
      float16: 1.5,
      float32: Math.fround(0.1),
      large: "a",
      view: "a string that is over twelve bytes",
      nulls: null,
      date: "2026-01-02",
      micro: "2026-01-02T03:04:05.678Z",
      nano: "1970-01-01T00:00:00.000Z",
      list: "[1,1152921504606846977]",
      struct: '{"a":1,"b":{"c":["d"]}}',
    },
  });
  expect(second).toMatchObject({
    messages: [{ role: "user", content: "Bye" }],
    labels: { truth: null, n: 2 },
    extra: { int8: null, uint64: "18446744073709551615", float32: null, list: "[]", struct: null },
  });
});

test("tokens.parquet: token ids are lists of whole numbers", async () => {
  expect(await loadExamples(fixture("tokens.parquet"))).toEqual([
    { prompt: [1, 2, 3], labels: { label: 1.5 }, extra: {} },
    { prompt: [49151], labels: { label: 2 }, extra: {} },
  ]);
});

describe("refuses", () => {
  test.each([
    ["compressed Arrow", "packed.arrow", "format_unsupported", 'write it with compression="uncompressed"'],
    ["a type that is none of these", "odd.parquet", "format_unsupported", 'column "price" is Decimal'],
    ["a file of another kind", "cities.csv", "format_invalid", "is no Arrow IPC file or stream"],
  ])("%s", async (_, file, code, words) => {
    const format = file.endsWith("csv") ? ({ format: "arrow" } as const) : {};
    await expect(loadExamples(fixture(file), format)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words) as string,
    });
  });

  test("files without rows, of any writer", async () => {
    const foreign = (name: string) => fixture(`../convert-foreign/${name}`);
    for (const file of [
      foreign("no-rows.parquet"),
      await fileOf("none.jsonl", ""),
      await fileOf("head.csv", "prompt"),
    ])
      await expect(loadExamples(file)).rejects.toMatchObject({
        code: "format_invalid",
        message: `${file} holds no examples`,
      });
    // Row groups of no rows between others.
    const examples = await loadExamples(foreign("empty-groups.parquet"), {
      columns: { prompt: "id", extra: [] },
    });
    expect(examples.map(({ prompt }) => prompt)).toEqual(["p0", "p1", "p2"]);
  });

  test("no such column where it is not asked for", async () => {
    const examples = await loadExamples(fixture("odd.parquet"), { columns: { extra: ["fine"] } });
    expect(examples[0]?.extra).toEqual({ fine: "1970-01-01T00:00:00.000Z" });
  });

  test("a file that is not there, and Parquet that is none", async () => {
    await expect(loadExamples(fixture("none.csv"))).rejects.toMatchObject({ code: "format_missing" });
    for (const format of ["jsonl", "csv", "parquet", "arrow", "inspect"] as const)
      await expect(loadExamples(fixture("."), { format })).rejects.toMatchObject({
        code: "format_invalid",
        message: expect.stringMatching(/is a folder, not a file/) as string,
      });
    const parquet = loadExamples(fixture("cities.csv"), { format: "parquet" });
    await expect(parquet).rejects.toMatchObject({ code: "format_invalid" });
  });
});
