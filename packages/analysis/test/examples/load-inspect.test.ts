import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkExamples } from "../../src/examples/example.ts";
import { loadExamples } from "../../src/examples/load-examples.ts";
import { faultsOf, fixture, jsonFixture, loadText } from "./example-files.ts";

const capital = { role: "user", content: "What is the capital of France? 🎉" };
const wet = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Is water wet?" },
];
const log = (samples: unknown[]): string =>
  JSON.stringify({ version: 2, eval: { model: "mockllm/model" }, samples });
const sample = { id: "a", epoch: 1, input: "Hi", target: "x", messages: [{ role: "user", content: "Hi" }] };

describe.each(["capitals.eval", "capitals.json"])("%s, as Inspect wrote it", (file) => {
  test("transcripts, scores as labels, and epochs of a sample in one group", async () => {
    const examples = await loadExamples(fixture(file));
    const byId = new Map(examples.map((example) => [example.id, example]));
    expect(byId.size).toBe(6);
    expect(byId.get("1_epoch_1")).toEqual({
      id: "1_epoch_1",
      group: "1",
      messages: [capital, { role: "assistant", content: "Paris" }],
      labels: { match: true, "rubric.fit": 1, "rubric.tone": 0.5, length: 5 },
      extra: {
        epoch: 1,
        target: "Paris",
        error: null,
        "metadata.city": "Paris",
        "metadata.rank": "1",
        "metadata.nested": '{"a":[1]}',
      },
    });
    expect(byId.get("two_epoch_1")).toMatchObject({
      group: "two",
      messages: [...wet, { role: "assistant", content: "Yes", reasoning_content: "Water is wet." }],
      extra: { target: '["Yes","yes"]', "metadata.rank": "1152921504606846977" },
    });
    // NaN is how Inspect says that there is no score.
    expect(byId.get("1_epoch_2")).toMatchObject({ group: "1", labels: { match: false, length: null } });
    expect(byId.get("third_epoch_2")).toMatchObject({
      messages: [{ role: "user", content: "Fails" }],
      labels: { match: null, length: null },
      extra: { error: "ValueError('the third one fails')" },
    });
    const { labels, nullable } = checkExamples(examples);
    expect(labels).toEqual({
      length: "float64",
      match: "bool",
      "rubric.fit": "float64",
      "rubric.tone": "float64",
    });
    expect(nullable).toEqual(expect.arrayContaining(["length", "match"]));
  });

  test("what a sample began with, beside what the model said", async () => {
    const inputs = await loadExamples(fixture(file), { take: "input" });
    expect(inputs.map(({ id, prompt, messages }) => [id, prompt ?? messages])).toEqual(
      expect.arrayContaining([
        ["1_epoch_2", capital.content],
        ["two_epoch_2", wet],
      ]),
    );
    expect(inputs.find(({ id }) => id === "two_epoch_2")?.extra).toMatchObject({ completion: "no" });
  });
});

test("scores are columns like others: one may be the label, the others are carried along", async () => {
  const columns = { labels: { right: "scores.match" }, split: "metadata.city" };
  const examples = await loadExamples(fixture("capitals.eval"), { columns });
  expect(examples.find(({ id }) => id === "1_epoch_1")).toMatchObject({
    split: "Paris",
    labels: { right: true },
    extra: { "scores.length": 5, "scores.rubric.fit": 1 },
  });
});

test("attachments are put back into the messages", async () => {
  const hash = "0123456789abcdef0123456789abcdef";
  const messages = [{ role: "user", content: `attachment://${hash}` }];
  const content = log([{ ...sample, messages, attachments: { [hash]: "a long text" } }]);
  const [example] = await loadText("attached.json", content);
  expect(example?.messages).toEqual([{ role: "user", content: "a long text" }]);
});

test("an attachment that the log lacks is named, wherever a text that is read names it", async () => {
  const lost = "0123456789abcdef0123456789abcdef";
  const text = `attachment://${lost}`;
  for (const part of [
    { messages: [{ role: "user", content: text }] },
    { metadata: { deep: [text] } },
    { target: text, attachments: {} },
    { input: text, messages: null, attachments: { constructor: "x" } },
  ]) {
    const [fault] = await faultsOf(loadText("lost.json", log([{ ...sample, ...part }])));
    expect(fault).toContain(`sample 1 ("a") | another | a sample with the attachment ${lost}, to which`);
  }
  const unread = { ...sample, store: { big: text }, events: [text] };
  expect(await loadText("unread.json", log([unread]))).toHaveLength(1);
});

test("scores that are more than C and I stay what they are", async () => {
  const scored = (id: string, value: unknown) => ({ ...sample, id, scores: { s: { value } } });
  const examples = await loadText("scores.json", log([scored("a", "C"), scored("b", "P"), scored("c", "N")]));
  expect(examples.map(({ labels }) => labels?.["s"])).toEqual(["C", "P", "N"]);
});

describe("refuses", () => {
  test("pictures, and samples that are none", async () => {
    const picture = { ...sample, messages: [{ role: "user", content: [{ type: "image", image: "x" }] }] };
    expect(await faultsOf(loadText("picture.json", log([picture, { id: {} }])))).toEqual([
      'sample 1 ("a") | another | content of texts and reasoning, not "image"',
      "sample 2 | another | a sample with an id",
    ]);
  });

  test.each([
    ["a log of headers", "header.json", '{"version": 2, "eval": {}}', "no Inspect log with samples"],
    ["JSON of something else", "list.json", "[]", "no Inspect log with samples"],
    ["half a log", "half.json", '{"eval"', "is not JSON"],
    [
      "half an archive",
      "half.eval",
      readFileSync(fixture("capitals.eval")).subarray(0, 3000),
      "no zip archive",
    ],
  ])("%s", async (_, name, content, words) => {
    await expect(loadText(name, content)).rejects.toMatchObject({
      message: expect.stringContaining(words) as string,
    });
  });

  test("an archive with one byte changed", async () => {
    const bytes = Uint8Array.from(readFileSync(fixture("capitals.eval")));
    bytes[1000]! ^= 0xff;
    await expect(loadText("changed.eval", bytes)).rejects.toMatchObject({ code: "format_invalid" });
  });
});

test("the fixture is a log of the real writer: zstd members, NaN, and a number that JSON.parse would round", () => {
  expect(() => jsonFixture("capitals.json")).toThrow("JSON");
  expect(readFileSync(fixture("capitals.json"), "utf8")).toMatch(/NaN[^]*1152921504606846977/);
});

test("two scores of one name are refused, not one of them dropped", async () => {
  const scores = { a: { value: { b: 1 } }, "a.b": { value: 2 } };
  expect(await faultsOf(loadText("twice.json", log([{ ...sample, scores }])))).toEqual([
    'sample 1 ("a") | another | a sample with one score of the name a.b',
  ]);
});
