import { expect, test } from "vitest";
import { contrastPairs } from "../../src/examples/contrast-pairs.ts";
import { faultsOf } from "./example-files.ts";
import { checkExamples } from "../../src/examples/example.ts";

test("a pair is a group, and its sign a label", () => {
  const chat = [{ role: "user", content: "Hi" }];
  const other = [{ role: "user", content: "Ho" }];
  const examples = contrastPairs([
    { positive: "I love it", negative: [1, 2], labels: { topic: "films" }, split: "train" },
    { id: "chat", group: "g", positive: chat, negative: other, labels: { topic: "x" }, extra: { n: 1 } },
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
      messages: other,
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

const a = { positive: "a", negative: "b" };
test.each<[string, unknown[], string]>([
  ["no negative", [[a, { positive: "a" }]], "pairs[1].negative | nothing | a text, token ids or messages"],
  ["a side of no token", [[{ ...a, positive: [] }]], "pairs[0].positive | [] | a list that is not empty"],
  [
    "a side that is null",
    [[{ ...a, positive: null }]],
    "pairs[0].positive | null | a text, token ids or messages",
  ],
  [
    "equal sides",
    [[{ positive: [{ role: "user", content: "a" }], negative: [{ role: "user", content: "a" }] }]],
    "pairs[0].negative | the same as positive | another prompt: one text cannot have both signs",
  ],
  ["an id twice", [[a, { ...a, id: "0" }]], 'pairs[1].id | "0", also the id of pairs[0] | an id used once'],
  [
    "the sign's name",
    [[{ ...a, labels: { liked: 1 } }], { label: "liked" }],
    "pairs[0].labels.liked | a label of the name that the sign takes | another name, or another `label`",
  ],
  [
    "an unknown field",
    [[{ ...a, label: true }]],
    "pairs[0] | the field label | only positive, negative, id, group, labels, split, extra",
  ],
  ["an id that is no text", [[{ ...a, id: 7 }]], "pairs[0].id | 7 | a text"],
  [
    "labels that are a list",
    [[{ ...a, labels: [1] }]],
    "pairs[0].labels | [1] | an object of names and values",
  ],
  ["no list", [a], 'pairs | {"positive":"a","negative":"b"} | a list'],
  ["an unknown option", [[a], { lable: "x" }], "options | the field lable | only label"],
])("refuses %s, by its field", async (_, [pairs, options], fault) => {
  const made = Promise.resolve().then(() => contrastPairs(pairs as never, options as never));
  expect(await faultsOf(made)).toEqual([fault]);
});
