import { describe, expect, test } from "vitest";
import type { LoadExamplesOptions } from "../../src/examples/load-options.ts";
import { faultsOf, loadText } from "./example-files.ts";

const csv = "statement,label,city,fold,token\nParis.,1,Paris,train,x\n";
const load = (columns: LoadExamplesOptions["columns"] & object) => loadText("map.csv", csv, { columns });

test("columns become what they are asked to be, under another name where one is given", async () => {
  const [example] = await load({
    prompt: "statement",
    labels: { truth: "label" },
    group: "city",
    split: "fold",
    extra: { source: "token" },
  });
  expect(example).toEqual({
    prompt: "Paris.",
    group: "Paris",
    split: "train",
    labels: { truth: 1 },
    extra: { source: "x" },
  });
});

test("a column may be two things, and extra: [] leaves the others out", async () => {
  const columns = { prompt: "statement", labels: ["city"], group: "city", extra: [] };
  expect(await load(columns)).toEqual([
    { prompt: "Paris.", group: "Paris", labels: { city: "Paris" }, extra: {} },
  ]);
});

describe("refuses", () => {
  test.each<[string, LoadExamplesOptions["columns"] & object, string]>([
    [
      "a column that is not there",
      { prompt: "statement", group: "town", extra: [] },
      'columns.group | "town" | a column: "statement", "label", "city", "fold", "token"',
    ],
    [
      "no prompt",
      { extra: [] },
      'columns.prompt | nothing, and no column is named prompt, text, token_ids or messages | a column: "statement", "label", "city", "fold", "token"',
    ],
    [
      "an extra column that every dataset has",
      { prompt: "statement" },
      'columns.extra | the column "token", which every dataset has of its own | another name, { token_given: "token" }, or a list without it',
    ],
  ])("%s", async (_, columns, fault) => {
    expect(await faultsOf(load(columns))).toEqual([fault]);
  });

  test("options that are none, and types of columns that are not there", async () => {
    const options = { colums: {} } as LoadExamplesOptions;
    expect(await faultsOf(loadText("map.csv", csv, options))).toHaveLength(1);
    const types = { columns: { prompt: "statement", extra: [] }, types: { truth: "bool" } } as const;
    expect(await faultsOf(loadText("map.csv", csv, types))).toEqual([
      'types.truth | no such label or extra column | "label"',
    ]);
  });
});
