import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { GeneratedToken } from "../src/generation-request.ts";
import { loadModel, type Model } from "../src/model.ts";
import { tinyModel } from "./support.ts";

type Request = Parameters<Model["generate"]>[0][number];

let model: Model;
let base: { prompt: number[]; temperature: number; maxTokens: number };
/** What the model writes by itself, greedily. */
let free: { tokens: readonly number[]; text: string };
let eos: number;
beforeAll(async () => {
  model = await loadModel(tinyModel);
  base = { prompt: model.tokenizer.encode("The city"), temperature: 0, maxTokens: 12 };
  free = await choice({});
  eos = model.config.eosTokenIds[0]!;
});
afterAll(() => model.dispose());

/** The first choice of a request; what it showed on the way is its text. */
async function choice(fields: Partial<Request>) {
  const shown: GeneratedToken[] = [];
  const request: Request = { ...base, ...fields, onToken: (token) => shown.push(token) };
  const [generation] = await model.generate([request]);
  const [first] = generation!.choices;
  expect(shown.map(({ text }) => text).join("")).toBe(first!.text);
  expect(shown.at(-1)).toMatchObject({ finishReason: first!.finishReason, stopReason: first!.stopReason });
  return first!;
}

const textOf = (tokens: readonly number[]) => model.tokenizer.decode(tokens, { skipSpecialTokens: true });

describe("stop tokens", () => {
  test("end a choice like an end token, and are its reason", async () => {
    const at = free.tokens.findIndex((token, i) => i > 2 && free.tokens.indexOf(token) === i);
    const stopped = await choice({ stopTokenIds: [free.tokens[at]!] });
    expect(stopped).toMatchObject({ finishReason: "stop", stopReason: free.tokens[at] });
    expect(stopped.tokens).toEqual(free.tokens.slice(0, at + 1));
    expect(stopped.text).toBe(textOf(free.tokens.slice(0, at)));
    const kept = await choice({ stopTokenIds: [free.tokens[at]!], includeStopText: true });
    expect(kept).toMatchObject({ tokens: stopped.tokens, stopReason: free.tokens[at] });
    expect(kept.text).toBe(textOf(free.tokens.slice(0, at + 1)));
  });

  test("the model's own end token stays without a reason", async () => {
    const biased = await choice({ logitBias: new Map([[eos, 100]]), stopTokenIds: [eos] });
    expect(biased).toMatchObject({ tokens: [eos], text: "", finishReason: "stop", stopReason: null });
  });
});

test("a stop text can be kept in the text, which ends with it", async () => {
  const stop = free.text.slice(5, 8);
  const cut = await choice({ stop: [stop] });
  const kept = await choice({ stop: [stop], includeStopText: true });
  expect(kept).toMatchObject({ tokens: cut.tokens, finishReason: "stop", stopReason: stop });
  expect(kept.text).toBe(cut.text + stop);
});

describe("ignoreEos", () => {
  const wantsEnd = () => new Map([[eos, 100]]);
  test("goes on after end tokens, up to the length", async () => {
    const on = await choice({ logitBias: wantsEnd(), ignoreEos: true });
    expect(on).toMatchObject({ text: "", finishReason: "length", stopReason: null });
    expect(on.tokens).toEqual(Array<number>(12).fill(eos));
  });
  test("leaves an end token that is a stop token one", async () => {
    const on = await choice({ logitBias: wantsEnd(), ignoreEos: true, stopTokenIds: [eos] });
    expect(on).toMatchObject({ tokens: [eos], finishReason: "stop", stopReason: eos });
  });
});

describe("minTokens", () => {
  test("bars end tokens and stop tokens until there are so many", async () => {
    const logitBias = new Map([[eos, 100]]);
    const late = await choice({ logitBias, minTokens: 5 });
    expect(late.tokens).toEqual([...free.tokens.slice(0, 5), eos]);
    expect(late.finishReason).toBe("stop");
    const ignoring = await choice({ logitBias, minTokens: 5, ignoreEos: true });
    expect(ignoring.tokens).toEqual([...free.tokens.slice(0, 5), ...Array<number>(7).fill(eos)]);
    const barred = await choice({ stopTokenIds: [free.tokens[0]!], minTokens: 3 });
    expect(barred.tokens.slice(0, 3)).not.toContain(free.tokens[0]);
  });

  test("a stop text that is complete by then ends nothing, one that is complete later does", async () => {
    // Whole tokens of the free text, so that it is known with which token a stop text is complete.
    const upTo = (count: number) => textOf(free.tokens.slice(0, count));
    const early = upTo(4).slice(-2);
    const across = free.text.slice(upTo(4).length - 1, upTo(5).length);
    expect(free.text.indexOf(across)).toBe(upTo(4).length - 1);
    expect(await choice({ stop: [early] })).toMatchObject({ stopReason: early });
    const held = await choice({ stop: [early, across], minTokens: 4 });
    expect(held).toMatchObject({ stopReason: across, text: upTo(4).slice(0, -1) });
    expect(held.tokens).toEqual(free.tokens.slice(0, 5));
  });
});

test("only allowed tokens are drawn, and log probabilities stay the model's own", async () => {
  const allowedTokenIds = [free.tokens[1]!, free.tokens[2]!];
  const bias = new Map([[free.tokens[2]!, 100]]);
  const plain = await choice({ logprobs: 1 });
  const held = await choice({ allowedTokenIds, logitBias: bias, logprobs: 1 });
  expect(new Set(held.tokens)).toEqual(new Set([free.tokens[2]]));
  expect(held.logprobs![0]!.top).toEqual(plain.logprobs![0]!.top);
  expect(held.logprobs![0]!.logprob).toBeLessThan(plain.logprobs![0]!.logprob);
});

test.each<[string, () => Partial<Request>, RegExp]>([
  ["bestOf", () => ({ n: 3, bestOf: 2 }), /bestOf is 2; give a whole number from n, which is 3/],
  ["bestOf", () => ({ bestOf: 2, capture: [0] }), /bestOf is 2; a capture takes one choice/],
  ["logitBias", () => ({ logitBias: new Map([[model.config.vocabSize, 1]]) }), /ids run from 0 to/],
  ["logitBias", () => ({ logitBias: new Map([[1, 100.5]]) }), /is 100.5 for token 1; .* from -100 to 100/],
  ["logitBias", () => ({ logitBias: new Map([[1, Number.NaN]]) }), /is NaN for token 1/],
  ["stopTokenIds", () => ({ stopTokenIds: [-1] }), /has token -1/],
  ["allowedTokenIds", () => ({ allowedTokenIds: [] }), /is empty/],
  ["allowedTokenIds", () => ({ allowedTokenIds: [1.5] }), /has token 1.5/],
  ["minTokens", () => ({ minTokens: 13 }), /from 0 to maxTokens, which is 12/],
  [
    "minTokens",
    () => ({ minTokens: 1, allowedTokenIds: [eos] }),
    /every token that may come is an end token/,
  ],
])("%s is refused by name: case %#", async (field, fields, message) => {
  const refused = model.generate([{ ...base, ...fields() }]);
  await expect(refused).rejects.toMatchObject({ code: "invalid_request", data: { field } });
  await expect(refused).rejects.toThrow(message);
});

test("bestOf keeps the candidates of the highest total log probability", async () => {
  const fields: Request = { ...base, temperature: 1.3, seed: 11, maxTokens: 20 };
  const [all] = await model.generate([{ ...fields, n: 6, logprobs: 0 }]);
  const total = (i: number) => all!.choices[i]!.logprobs!.reduce((sum, { logprob }) => sum + logprob, 0);
  const mean = (i: number) => total(i) / all!.choices[i]!.tokens.length;
  const order = all!.choices.map((_, i) => i).sort((a, b) => total(b) - total(a));
  // The test can tell a total from a mean, and an order from none.
  expect([...order].sort((a, b) => mean(b) - mean(a))).not.toEqual(order);
  expect([...order].sort((a, b) => a - b)).not.toEqual(order);
  const generated = { before: model.stats().generatedTokens };
  const seen = new Map<number, number[]>();
  const onToken = ({ choice, token }: GeneratedToken) =>
    void seen.set(choice, [...(seen.get(choice) ?? []), token]);
  const [best] = await model.generate([{ ...fields, n: 3, bestOf: 6, onToken }]);
  expect(best!.choices).toEqual(order.slice(0, 3).map((i) => ({ ...all!.choices[i]!, logprobs: null })));
  expect(all!.choices.map((_, i) => seen.get(i))).toEqual(all!.choices.map(({ tokens }) => tokens));
  const written = all!.choices.reduce((sum, { tokens }) => sum + tokens.length, 0);
  expect(model.stats().generatedTokens - generated.before).toBe(written);
});
