import { describe, expect, test } from "vitest";
import { chosenRows, type RowChoice } from "../../src/probes/row-choice.ts";

const columns: Readonly<Record<string, unknown[]>> = {
  split: ["train", "train", "test", "test"],
  topic: ["a", "b", "a", null],
  y: [0, 1, 2, 1],
};
const dataset = {
  rows: 4,
  columns: Object.keys(columns),
  column: (name: string) => Promise.resolve(columns[name]!),
};
const of = (where: RowChoice | undefined) => chosenRows(dataset, where);

test("rows are chosen by a function, by values, by several values, by no value", async () => {
  expect(await of(undefined)).toEqual([0, 1, 2, 3]);
  expect(await of((row) => row > 1)).toEqual([2, 3]);
  expect(await of({ split: "train" })).toEqual([0, 1]);
  expect(await of({ y: [0, 1] })).toEqual([0, 1, 3]);
  expect(await of({ y: [0, 1], split: "train", topic: ["b", null] })).toEqual([1]);
  expect(await of({ topic: null })).toEqual([3]);
});

describe("what chooses nothing is told", () => {
  test("no row left, a column that is not there, a function that answers with a promise", async () => {
    await expect(of({ split: "trian" })).rejects.toMatchObject({
      code: "no_rows",
      message: 'Of 4 rows none is left: where asks for {"split":"trian"}.',
    });
    await expect(of(() => false)).rejects.toThrow("where returned false for each");
    await expect(of({ spilt: "train" })).rejects.toMatchObject({ code: "bad_column" });
    const promise = (() => Promise.resolve(true)) as unknown as (row: number) => boolean;
    await expect(of(promise)).rejects.toThrow("a function that returned object");
  });
});
