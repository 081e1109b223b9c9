import { beforeAll, describe, expect, test } from "vitest";
import { openGguf, type GgufFile } from "../src/gguf-file.ts";
import { readGgufTokenizer } from "../src/gguf-tokenizer.ts";
import { fixtureJson, ggufModel } from "./support.ts";

type Case = { text: string; ids: number[]; decoded: string };

let gguf: GgufFile;
beforeAll(async () => {
  gguf = await openGguf(ggufModel("llama"));
  await gguf.close();
});

/** The tokenizer of the fixture with other metadata; undefined takes a key away. */
function tokenizer(change: Record<string, unknown> = {}, vocabSize = 900) {
  const metadata = new Map<string, unknown>(gguf.metadata);
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) metadata.delete(`tokenizer.ggml.${key}`);
    else metadata.set(`tokenizer.ggml.${key}`, value);
  }
  return readGgufTokenizer({ ...gguf, metadata: metadata as GgufFile["metadata"] }, vocabSize);
}

test("ids and texts are those of the tokenizer.json that it was made from", async () => {
  const read = tokenizer();
  const { cases } = await fixtureJson<{ cases: (Case & { plainIds: number[] })[] }>("tiny-tokenizer.json");
  for (const { text, ids, plainIds, decoded } of cases) {
    expect({ text, ids: read.encode(text) }).toEqual({ text, ids });
    expect(read.encode(text, { addSpecialTokens: false })).toEqual(plainIds);
    expect(read.decode(plainIds)).toBe(decoded);
  }
});

test.each(["gpt-2", "smollm", "qwen2", "llama-bpe"])(
  "%s splits text as the Python library does",
  async (pre) => {
    const cases = (await fixtureJson<Record<string, Case[]>>("gguf-tokenizer.json"))[pre]!;
    const read = tokenizer({ pre });
    expect(cases.length).toBe(7);
    for (const { text, ids, decoded } of cases) {
      expect({ text, ids: read.encode(text) }).toEqual({ text, ids });
      expect(read.decode(ids)).toBe(decoded);
    }
  },
);

test("tokens around a text: as the metadata say, or as is usual for the split", () => {
  const ends = (change: object) => {
    const ids = tokenizer({ ...change }).encode("Rome");
    return [ids[0] === 0, ids.at(-1) === 1];
  };
  expect(ends({ add_bos_token: false })).toEqual([false, false]);
  expect(ends({ add_bos_token: undefined })).toEqual([false, false]);
  expect(ends({ add_bos_token: undefined, pre: "llama-bpe" })).toEqual([true, false]);
  expect(ends({ add_bos_token: false, add_eos_token: true })).toEqual([false, true]);
  expect(ends({ add_eos_token: true })).toEqual([true, true]);
});

describe("refused", () => {
  test.each([
    ['its tokenizer model is "llama"; byte-level BPE ("gpt2") is read', { model: "llama" }],
    ["its tokenizer model is missing", { model: undefined }],
    ['its tokenizer.ggml.pre is "deepseek-llm"; gpt-2, smollm, qwen2', { pre: "deepseek-llm" }],
    ['its tokenizer.ggml.pre is "toString"', { pre: "toString" }],
    ["its tokenizer.ggml.pre is missing", { pre: undefined }],
    ["different texts", { tokens: undefined }],
    ["different texts", { tokens: ["a", "a"] }],
    ["different texts", { tokens: ["a", 1] }],
    ["not pairs of tokens", { merges: undefined }],
    ["not pairs of tokens", { merges: ["a b c"] }],
  ])("%s", (problem, change) => {
    expect(() => tokenizer(change)).toThrow(expect.objectContaining({ code: "tokenizer_invalid" }) as Error);
    expect(() => tokenizer(change)).toThrow(problem);
  });

  test("more tokens than rows of embeddings", () => {
    expect(() => tokenizer({}, 899)).toThrow("at most 899 different texts");
  });
});
