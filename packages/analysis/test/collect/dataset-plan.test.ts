import { expect, test } from "vitest";
import { makePlan, planDifference, planHash, type PlanOptions } from "../../src/collect/dataset-plan.ts";
import { checkExamples, type Example } from "../../src/examples/example.ts";

const options: PlanOptions = { model: "m", checkpoint: "c", layers: [3, 1], selection: "last", maxTokens: 1 };
const examples: Example[] = [
  { id: "a", prompt: "x", labels: { p: 1, q: true } },
  { id: "b", prompt: [1, 2], labels: { p: 2, q: false }, split: "test" },
];
const plan = makePlan(checkExamples(examples), options);

test("the order of layers and of label names changes nothing", () => {
  const same = [{ id: "a", prompt: "x", group: "a", labels: { q: true, p: 1 } }, examples[1] as Example];
  expect(makePlan(checkExamples(same), { ...options, layers: [1, 3] })).toEqual(plan);
  expect(plan.hash).toBe(planHash(plan));
});

test.each<[string, Partial<PlanOptions>]>([
  ['model "m", not "n"', { model: "n" }],
  ['checkpoint "c", not null', { checkpoint: undefined }],
  ['layers [1,3], not "all"', { layers: "all" }],
  ['selection "last", not {"last":2}', { selection: { last: 2 } }],
  ["maxTokens 1, not 2", { maxTokens: 2 }],
])("another plan: %s", (difference, change) => {
  const other = makePlan(checkExamples(examples), { ...options, ...change });
  expect(other.hash).not.toBe(plan.hash);
  expect(planDifference(plan, other)).toBe(difference);
});

test.each<[string, Partial<Example>]>([
  ["prompt", { prompt: "X" }],
  ["prompt of tokens", { prompt: [120] }],
  ["group", { group: "g" }],
  ["label", { labels: { p: 1, q: false } }],
  ["split", { split: "train" }],
  ["id", { id: "aa" }],
])("another %s is another plan", (_, change) => {
  const other = makePlan(
    checkExamples([{ ...examples[0], ...change } as Example, examples[1] as Example]),
    options,
  );
  expect(other.hash).not.toBe(plan.hash);
  expect(planDifference(plan, other)).toContain("other examples");
});
