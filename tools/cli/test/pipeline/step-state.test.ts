import { expect, test } from "vitest";
import { reasonsToRun, type StepBasis } from "../../src/pipeline/step-state.ts";

const basis: StepBasis = {
  kind: "sweep",
  version: "0.1.0",
  options: { label: "truth", folds: 5 },
  inputs: { dataset: "aa" },
};
const state = { schemaVersion: 1 as const, basis, output: "ff" };

test("a result stands while all that it follows from does", () => {
  expect(reasonsToRun(basis, { state, found: "ff" })).toEqual([]);
});

test.each([
  [{ ...basis, options: { ...basis.options, label: "lies" } }, "ff", ['label was "truth", and is "lies"']],
  [{ ...basis, options: { ...basis.options, split: "a" } }, "ff", ['split was not given, and is "a"']],
  [{ ...basis, inputs: { dataset: "bb" } }, "ff", ["dataset is another than then"]],
  [{ ...basis, inputs: {} }, "ff", ["dataset is another than then"]],
  [{ ...basis, version: "0.2.0" }, "ff", ["residua was 0.1.0, and is 0.2.0"]],
  [basis, undefined, ["its result is not there"]],
  [basis, "ee", ["its result is another than it wrote"]],
])("else it runs, and says why", (now, found, reasons) => {
  expect(reasonsToRun(now, { state, found })).toEqual(reasons);
});

test("what never ran, or never ended, runs", () => {
  expect(reasonsToRun(basis, { state: undefined, found: "ff" })).toEqual(["it has not run yet"]);
  expect(reasonsToRun(basis, { state: { ...state, output: null }, found: "ff" })).toEqual([
    "its last run did not end",
  ]);
});
