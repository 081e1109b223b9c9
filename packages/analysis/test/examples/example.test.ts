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
    expect(examples[0]).toMatchObject({ id: "0", group: "0", split: null, messages: null, extra: {} });
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
      "examples[0].labels.c | nothing | the same labels in every example; null where there is no value",
      "examples[1].labels.b | nothing | the same labels in every example; null where there is no value",
    ]);
  });

  test("takes conversations, labels without a value, and extra columns of every type", () => {
    const messages = [{ role: "user", content: "Hi", name: "A" }];
    const { examples, labels, extra, nullable } = checkExamples([
      { messages, labels: { truth: null }, extra: { n: 1, x: 1, s: null, big: 2 ** 31 } },
      { prompt: "a", labels: { truth: true }, extra: { n: -2, x: 0.5, s: "t", flag: false, big: 0 } },
    ]);
    expect(examples[0]).toMatchObject({ prompt: null, messages });
    expect(examples[1]).toMatchObject({ prompt: "a", messages: null });
    expect(labels).toEqual({ truth: "bool" });
    expect(extra).toEqual({ big: "float64", flag: "bool", n: "int32", s: "utf8", x: "float64" });
    expect(nullable).toEqual(["flag", "s", "truth"]);
  });

  test("refuses a label that no example has, and a label and an extra column of one name", () => {
    const issues = issuesOf([{ prompt: "a", labels: { a: null, b: 1 }, extra: { b: 2 } }]);
    expect(issues).toEqual([
      "examples[*].labels.a | null in every example | a label that some example has",
      "examples[*].extra.b | a label of the same name | one column a name",
    ]);
  });

  test.each([
    ["both prompt and messages", [{ prompt: "a", messages: [{ role: "user", content: "b" }] }]],
    ["neither", [{ labels: {} }]],
    ["no message", [{ messages: [] }]],
    ["a message without content", [{ messages: [{ role: "user" }] }]],
    ["a message with parts", [{ messages: [{ role: "user", content: [{ type: "text", text: "a" }] }] }]],
    ["an extra column named as a column", [{ prompt: "a", extra: { role: "x" } }]],
    ["an extra column that is a list", [{ prompt: "a", extra: { x: [1] } }]],
    ["no example", []],
    ["no list", "a"],
    ["an empty list of tokens", [{ prompt: [], labels: {} }]],
    ["a negative token", [{ prompt: [-1], labels: {} }]],
    ["a label that is not finite", [{ prompt: "a", labels: { x: Number.NaN } }]],
    ["a label named as a column", [{ prompt: "a", labels: { token: "x" } }]],
    ["a label named as a layer", [{ prompt: "a", labels: { layer_3: "x" } }]],
    ["a label named as the embeddings", [{ prompt: "a", labels: { "layer_-1": "x" } }]],
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
    const issues = issuesOf(Array.from({ length: 30 }, () => ({ prompt: 1 })));
    expect(issues).toHaveLength(21);
    expect(issues.at(-1)).toContain("10 more faults");
  });
});
