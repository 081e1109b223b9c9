import { InvalidRequestError } from "@residua/lens";
import { describe, expect, test } from "vitest";
import { checkExamples, type Example } from "../../src/examples/example.ts";

function issuesOf(examples: unknown): string[] {
  try {
    checkExamples(examples as Example[]);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRequestError);
    return (error as InvalidRequestError).issues.map(
      ({ field, given, allowed }) => `${field} | ${given} | ${allowed}`,
    );
  }
  throw new Error("was accepted");
}

describe("checkExamples", () => {
  test("fills in ids, groups and splits, and tells the labels' types", () => {
    const { examples, labels } = checkExamples([
      { prompt: "a", labels: { truth: true, score: 1, topic: "x" } },
      {
        id: "b",
        prompt: [0, 5],
        group: "g",
        labels: { topic: "y", score: -0.5, truth: false },
        split: "test",
      },
    ]);
    expect(labels).toEqual({ score: "float64", topic: "utf8", truth: "bool" });
    expect(examples[0]).toMatchObject({ id: "0", group: "0", split: null });
    expect(examples[1]).toMatchObject({ id: "b", group: "g", split: "test" });
  });

  test("refuses an id given twice, also when one is a default", () => {
    const issues = issuesOf([
      { id: "1", prompt: "a", labels: {} },
      { prompt: "b", labels: {} },
    ]);
    expect(issues).toEqual(['examples[1].id | "1", also the id of examples[0] | an id used once']);
  });

  test("refuses labels that differ in name or type", () => {
    const labels = { a: 1, b: true };
    const issues = issuesOf([
      { prompt: "a", labels },
      { prompt: "b", labels: { a: "1", c: true } },
    ]);
    expect(issues).toEqual([
      "examples[1].labels.a | string | float64, as in examples[0]",
      "examples[1].labels.b | nothing | bool, as in examples[0]",
      "examples[1].labels.c | a label that examples[0] lacks | the same labels in every example",
    ]);
  });

  test.each([
    ["no example", []],
    ["no list", "a"],
    ["an empty list of tokens", [{ prompt: [], labels: {} }]],
    ["a negative token", [{ prompt: [-1], labels: {} }]],
    ["a label that is not finite", [{ prompt: "a", labels: { x: Number.NaN } }]],
    ["a label named as a column", [{ prompt: "a", labels: { token: "x" } }]],
    ["a label named as a layer", [{ prompt: "a", labels: { layer_3: "x" } }]],
    [
      "a label that an object would lose",
      [{ prompt: "a", labels: JSON.parse('{"__proto__": 1}') as object }],
    ],
    ["half of a surrogate pair", [{ id: "\ud800", prompt: "a", labels: {} }]],
    ["an unknown field", [{ prompt: "a", labels: {}, lable: 1 }]],
  ])("refuses %s", (_, examples) => {
    expect(issuesOf(examples).length).toBeGreaterThan(0);
  });

  test("names twenty faults and counts the rest", () => {
    const issues = issuesOf(Array.from({ length: 30 }, () => ({ prompt: "a" })));
    expect(issues).toHaveLength(21);
    expect(issues.at(-1)).toContain("10 more faults");
  });
});
