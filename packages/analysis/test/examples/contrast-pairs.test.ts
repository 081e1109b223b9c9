import { expect, test } from "vitest";
import { contrastPairs } from "../../src/examples/contrast-pairs.ts";
import { checkExamples } from "../../src/examples/example.ts";

test("a pair is a group, and its sign a label", () => {
  const chat = [{ role: "user", content: "Hi" }];
  const examples = contrastPairs([
    { positive: "I love it", negative: [1, 2], labels: { topic: "films" }, split: "train" },
    { id: "chat", group: "g", positive: chat, negative: chat, labels: { topic: "x" }, extra: { n: 1 } },
  ]);
  expect(examples).toEqual([
    {
      id: "0/positive",
      group: "0",
      prompt: "I love it",
      labels: { topic: "films", positive: true },
      split: "train",
    },
    {
      id: "0/negative",
      group: "0",
      prompt: [1, 2],
      labels: { topic: "films", positive: false },
      split: "train",
    },
    {
      id: "chat/positive",
      group: "g",
      messages: chat,
      labels: { topic: "x", positive: true },
      extra: { n: 1 },
    },
    {
      id: "chat/negative",
      group: "g",
      messages: chat,
      labels: { topic: "x", positive: false },
      extra: { n: 1 },
    },
  ]);
  expect(checkExamples(examples).labels).toEqual({ positive: "bool", topic: "utf8" });
});

test("the label has the name that is asked for", () => {
  const [first] = contrastPairs([{ positive: "a", negative: "b" }], { label: "harmful" });
  expect(first?.labels).toEqual({ harmful: true });
});
