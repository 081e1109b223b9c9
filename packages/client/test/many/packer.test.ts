import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Packer } from "../../src/many/packer.ts";
import type { SampleItem, SampleUnit } from "../../src/many/sample-unit.ts";
import { unpackCompletion } from "../../src/many/unpack-completion.ts";
import { checkRequest } from "../../src/requests/check-request.ts";
import { acsCompletions } from "../../src/requests/endpoints/acs-completions.ts";
import { type CompletionRequest, shapeOf } from "../../src/requests/completion-request.ts";
import { asCompletion, type Completion } from "../../src/responses/completion.ts";
import { type Asked, completionOf } from "./crowd-server.ts";

function packed(requests: CompletionRequest[], most?: number): SampleUnit[] {
  const packer = new Packer(acsCompletions, most);
  const units: SampleUnit[] = [];
  const drain = (take: () => SampleUnit | undefined) => {
    for (let unit; (unit = take()) !== undefined;) units.push(unit);
  };
  requests.forEach((request, index) => {
    packer.add({ index, request, key: undefined } satisfies SampleItem);
    drain(() => packer.takeFull());
  });
  drain(() => packer.takeRest());
  expect(packer.empty).toBe(true);
  return units;
}

function answerOf(request: CompletionRequest): Completion {
  return asCompletion(completionOf(request as Asked) as Completion, shapeOf(request))!;
}

const base = { model: "llama-8b", max_tokens: 3 };
const shape = (units: SampleUnit[]) => units.map(({ request: { prompt, n, seed } }) => [prompt, n, seed]);

describe("Packer", () => {
  it("makes many prompts of requests that differ in the prompt only", () => {
    const units = packed(["a", "b", "c"].map((prompt) => ({ ...base, prompt, n: 2 })));
    expect(shape(units)).toEqual([[["a", "b", "c"], 2, undefined]]);
    expect(units[0]?.items.map((_, i) => units[0]?.choices?.(i))).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
  });

  it("makes many choices of equal requests, and a grid of equal runs", () => {
    const list = [..."aaabbbcc"].map((prompt) => ({ ...base, prompt }));
    expect(shape(packed(list))).toEqual([
      [["a", "b"], 3, undefined],
      ["c", 2, undefined],
    ]);
  });

  it("packs seeds only as the server seeds its choices: the request's seed + i, alike for every prompt", () => {
    const seeded = (prompt: string, seed: number) => ({ ...base, prompt, seed });
    expect(shape(packed([seeded("a", 7), seeded("a", 8), seeded("a", 9)]))).toEqual([["a", 3, 7]]);
    expect(shape(packed([seeded("a", 7), seeded("b", 7)]))).toEqual([[["a", "b"], undefined, 7]]);
    expect(packed([seeded("a", 7), seeded("b", 8)])).toHaveLength(2);
    expect(packed([seeded("a", 7), seeded("a", 7)])).toHaveLength(2);
    expect(packed([seeded("a", 7), { ...base, prompt: "b" }])).toHaveLength(2);
  });

  it("asks for one choice each at temperature 0, where n above 1 is refused", () => {
    const list = [..."aab"].map((prompt, seed) => ({ ...base, prompt, temperature: 0, seed }));
    expect(shape(packed(list))).toEqual([[["a", "a", "b"], undefined, 0]]);
  });

  it("leaves alone what takes one choice a request, what sets no max_tokens, and what differs", () => {
    const lists: CompletionRequest[][] = [
      [{ ...base, prompt: "a", output_residual_stream: [1] }],
      [{ model: "llama-8b", prompt: "a" }],
      [{ ...base, prompt: ["a", "b"] }],
    ];
    for (const [request] of lists) {
      const units = packed([request!, request!]);
      expect(units).toHaveLength(2);
      expect(units[0]?.request).toBe(request);
    }
    const mixed: CompletionRequest[] = [
      { ...base, prompt: "a" },
      { ...base, prompt: [1] },
      { ...base, prompt: [2], temperature: 0.5 },
    ];
    expect(packed(mixed)).toHaveLength(3);
  });

  it("keeps to the limits of a request and to the number asked for", () => {
    const many = Array.from({ length: 3000 }, (_, i) => ({ ...base, prompt: `p${i}` }));
    expect(packed(many).map(({ items }) => items.length)).toEqual([1024, 1024, 952]);
    const long = many.slice(0, 100).map((request) => ({ ...request, max_tokens: 1000 }));
    expect(packed(long).map(({ items }) => items.length)).toEqual([32, 32, 32, 4]);
    expect(packed(many.slice(0, 100), 40).map(({ items }) => items.length)).toEqual([40, 40, 20]);
    const vocabulary = many.slice(0, 4).map((request) => ({
      ...request,
      prompt: Array<number>(100).fill(1),
      prompt_logprobs: -1,
      temperature: 0,
    }));
    expect(packed(vocabulary).map(({ items }) => items.length)).toEqual([2, 2]);
  });

  it("gives every request the answer that it would have had alone", () => {
    const prompt = fc.constantFrom<string | number[]>("a", "b", "c", [1], [2, 3]);
    const request = fc.record({
      prompt,
      n: fc.constantFrom(1, 1, 1, 2),
      seed: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      temperature: fc.constantFrom(1, 1, 1, 0),
      repeats: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 25 }), fc.integer({ min: 1, max: 12 }), (list, most) => {
        const requests = list.flatMap(({ repeats, n, seed, temperature, prompt: text }) =>
          Array.from({ length: repeats }, (_, k) => ({
            ...{ ...base, temperature, prompt: text },
            // Greedy with several choices is refused by the server, packed or not.
            ...(n > 1 && temperature > 0 && { n }),
            ...(seed !== undefined && { seed: seed + k * n }),
          })),
        );
        const outcomes = packed(requests, most).flatMap((unit) => {
          expect(unit.items.length).toBeLessThanOrEqual(most);
          checkRequest(unit.request);
          return unpackCompletion(unit, answerOf(unit.request));
        });
        expect(outcomes.map(({ index }) => index)).toEqual(requests.map((_, i) => i));
        outcomes.forEach(({ completion, request: own }, i) => {
          expect(own).toBe(requests[i]);
          const texts = completion?.choices.map(({ index, text }) => [index, text]);
          const alone = answerOf(own).choices.map(({ index, text }) => [index, text]);
          // The seed of a greedy request changes nothing.
          const plain = (pairs: unknown) =>
            own.temperature === 0 ? JSON.stringify(pairs).replaceAll(/ (\d+|unseeded)"/g, '"') : pairs;
          expect(plain(texts)).toEqual(plain(alone));
        });
      }),
      { numRuns: 200 },
    );
  });
});
