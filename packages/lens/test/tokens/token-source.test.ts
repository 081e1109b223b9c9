import { readFileSync } from "node:fs";
import type { Tokenizer } from "@residua/client";
import { describe, expect, it } from "vitest";
import { makeTokenSource } from "../../src/tokens/token-source.ts";
import type { Asked } from "../json-server.ts";
import { vllmAt } from "../recorded/vllm-replay.ts";

const recorded = JSON.parse(
  readFileSync(new URL("../../fixtures/spellings.json", import.meta.url), "utf8"),
) as { text: string; tokens: number[]; token_strs: string[] };

/** Words are tokens; BOS 1 stands before a text where special tokens are added, and EOS 2 behind it where `ends`. */
const words = new Map<string, number>();
const idOf = (word: string) => words.get(word) ?? (words.set(word, 10 + words.size), 9 + words.size);
function tokenize({ body }: Asked, { adds = true, ends = false, names = true } = {}) {
  const { prompt, add_special_tokens: special, return_token_strs: strs } = body as Record<string, never>;
  const pieces = String(prompt).match(/ ?[^ ]+/g) ?? [];
  const before = adds && special ? ["<s>"] : [];
  const after = ends && special ? ["</s>"] : [];
  const list = [...before.map(() => 1), ...pieces.map(idOf), ...after.map(() => 2)];
  const spelt = [...before, ...pieces.map((piece) => piece.replaceAll(" ", "Ġ")), ...after];
  return { count: list.length, tokens: list, token_strs: strs && names ? spelt : null };
}

async function sourceAt(options: Parameters<typeof tokenize>[1] = {}, tokenizer?: Tokenizer) {
  const { client, server } = await vllmAt((asked) => {
    if (asked.path === "/tokenize") return { body: tokenize(asked, options) };
    if (asked.path !== "/detokenize") return undefined;
    const { tokens } = asked.body as { tokens: number[] };
    const texts = new Map([...words].map(([word, id]) => [id, word]));
    return { body: { prompt: tokens.map((id) => texts.get(id) ?? "").join("") } };
  }, tokenizer && { tokenizer });
  const model = await client.describe("smollm2");
  const prompt = (text: string | number[], addSpecialTokens = true) => ({
    model,
    prompt: text,
    addSpecialTokens,
    signal: undefined,
  });
  const calls = (path: string) => server.asked.filter((asked) => asked.path === path).length;
  return { source: makeTokenSource(client), model, prompt, calls };
}

describe("the BOS of a vLLM server", () => {
  it("is what stands before every text, and is asked for once", async () => {
    const { source, model, calls } = await sourceAt();
    expect(await Promise.all([source.bos(model), source.bos(model)])).toEqual([1, 1]);
    expect(await source.bos(model)).toBe(1);
    expect(calls("/tokenize")).toBe(2);
  });

  it("is none where nothing is put there", async () => {
    const { source, model } = await sourceAt({ adds: false });
    expect(await source.bos(model)).toBeNull();
  });

  it("is not known where it cannot be told from what ends a text, or no tokenizer answers", async () => {
    const ends = await sourceAt({ adds: false, ends: true });
    expect(await ends.source.bos(ends.model)).toBeUndefined();
    const { client } = await vllmAt(() => undefined);
    expect(await makeTokenSource(client).bos(await client.describe("smollm2"))).toBeUndefined();
  });
});

describe("texts of a prompt's tokens", () => {
  it("are what they add to it; the BOS adds nothing; known tokens are not asked for again", async () => {
    const { source, prompt, calls } = await sourceAt();
    const asked = prompt("The sky is blue");
    const ids = await source.ids(asked);
    expect(await source.texts(asked, ids ?? [], 1)).toEqual([null, "The", " sky", " is", " blue"]);
    const before = calls("/tokenize");
    const again = prompt("The sky is sky", false);
    const list = await source.ids(again);
    expect(await source.texts(again, list ?? [], 1)).toEqual(["The", " sky", " is", " sky"]);
    // One more to encode, none to spell.
    expect(calls("/tokenize")).toBe(before + 1);
  });

  it("of ids alone are learnt by way of their text", async () => {
    const { source, prompt, calls } = await sourceAt();
    const ids = ["Rome", " is", " old"].map(idOf);
    expect(await source.texts(prompt(ids), ids, 1)).toEqual(["Rome", " is", " old"]);
    expect([calls("/detokenize"), calls("/tokenize")]).toEqual([1, 1]);
  });

  it("are not known where the tokens are others, or together are not the prompt", async () => {
    const { source, prompt } = await sourceAt();
    expect(await source.texts(prompt("The sky"), [1, 999], 1)).toBeUndefined();
    const noNames = await sourceAt({ names: false });
    const asked = noNames.prompt("Some words");
    expect(await noNames.source.texts(asked, (await noNames.source.ids(asked)) ?? [], 1)).toBeUndefined();
    expect(await source.texts(prompt("another text"), [idOf("Rome"), idOf(" is")], 1)).toBeUndefined();
  });

  it("are right for real tokens, bytes of one character among them", async () => {
    const { client } = await vllmAt(({ path }) =>
      path === "/tokenize" ? { body: { count: recorded.tokens.length, ...recorded } } : undefined,
    );
    const model = await client.describe("smollm2");
    const asked = { model, prompt: recorded.text, addSpecialTokens: true, signal: undefined };
    const texts = await makeTokenSource(client).texts(asked, recorded.tokens, null);
    expect(texts?.join("")).toBe(recorded.text);
    expect(texts).toHaveLength(recorded.tokens.length);
  });
});

describe("ids of a text", () => {
  it("are asked for once while the text is among the newest", async () => {
    const { source, prompt, calls } = await sourceAt();
    for (const _ of [1, 2]) expect(await source.ids(prompt("The sky"))).toHaveLength(3);
    expect(await source.ids(prompt("The sky", false))).toHaveLength(2);
    expect(calls("/tokenize")).toBe(2);
    for (let i = 0; i < 16; i++) await source.ids(prompt(`The sky ${i}`));
    await source.ids(prompt("The sky"));
    expect(calls("/tokenize")).toBe(19);
  });

  it("come from the client's own tokenizer, in every form in which tokenizers give them", async () => {
    for (const encoded of [
      [1, 5, 6],
      { ids: [1, 5, 6] },
      { input_ids: Int32Array.of(1, 5, 6) },
      { input_ids: BigInt64Array.of(1n, 5n, 6n) },
    ]) {
      const { source, prompt, calls } = await sourceAt({}, { encode: () => encoded });
      expect(await source.ids(prompt("The sky"))).toEqual([1, 5, 6]);
      expect(calls("/tokenize")).toBe(0);
    }
  });

  it("come from the server where that one only counts; one that fails tells nothing", async () => {
    const counts = await sourceAt({}, { encode: () => ({ length: 3 }) });
    expect(await counts.source.ids(counts.prompt("The sky"))).toEqual([1, idOf("The"), idOf(" sky")]);
    const fails = await sourceAt(
      {},
      {
        encode: () => {
          throw new Error("no");
        },
      },
    );
    expect(await fails.source.ids(fails.prompt("The sky"))).toBeUndefined();
  });
});
