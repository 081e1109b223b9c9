import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { kvCacheBytes } from "../src/kv-cache.ts";
import type { Network } from "../src/forward.ts";
import type { Generation, GenerationRequest } from "../src/generation-request.ts";
import type { Intervention } from "../src/interventions.ts";
import { Scheduler } from "../src/scheduler.ts";
import type { SteeringVector } from "../src/steering.ts";
import type { Tokenizer } from "../src/tokenizer.ts";
import { endlessTiny, someVector } from "./support.ts";

let network: Network;
let tokenizer: Tokenizer;
beforeAll(async () => {
  ({ network, tokenizer } = await endlessTiny());
});

const roomy = { passTokens: 512, sequences: 128, cacheBytes: 2 ** 30, prefixBytes: 2 ** 28 };
const make = (limits: Partial<typeof roomy> = {}) =>
  new Scheduler(network, tokenizer, { ...roomy, ...limits });
/** Alone, with nothing to read. */
const fresh = (request: GenerationRequest) => make({ prefixBytes: 0 }).submit(request);
/** What must not depend on the prefix cache. */
const result = ({ choices, capture, promptLogprobs }: Generation) => ({ choices, capture, promptLogprobs });

/** Token `at` of text `kind`; texts of the kinds are equal before position 24. */
const text = (kind: number, length: number) =>
  Array.from({ length }, (_, at) => (at === 0 ? 0 : 2 + ((at * 31 + (at < 24 ? 0 : kind * 97)) % 890)));
const vector = (seed: number, change: Partial<SteeringVector> = {}): SteeringVector => ({
  layers: [1],
  rows: someVector(96, seed),
  positions: null,
  scale: 2,
  normMatch: false,
  ...change,
});
const plain: GenerationRequest = { prompt: text(0, 50), maxTokens: 3, temperature: 0, logprobs: 3 };

describe("a prompt that was run before", () => {
  test("is read in whole blocks, all but its last token, and gives the same bits", async () => {
    const scheduler = make();
    for (const [length, cached] of [
      [50, 0],
      [50, 48],
      [49, 48],
      [48, 32],
      [17, 16],
      [16, 0],
    ] as const) {
      const request = { ...plain, prompt: text(0, length) };
      const generation = await scheduler.submit(request);
      expect(generation.cachedTokens).toBe(cached);
      expect(result(generation)).toEqual(result(await fresh(request)));
    }
    expect(scheduler.stats).toMatchObject({
      promptTokens: 50 + 2 + 1 + 16 + 1 + 16,
      prefixQueries: 50 + 50 + 49 + 48 + 17 + 16,
      prefixHits: 48 + 48 + 32 + 16,
    });
    expect(scheduler.stats.prefixBytes).toBe(3 * kvCacheBytes(network.config, 16));
  });

  test("is read with what was generated after it", async () => {
    const scheduler = make();
    const first = await scheduler.submit({ ...plain, maxTokens: 20, n: 2, temperature: 1, seed: 3 });
    for (const { tokens } of first.choices) {
      const request = { ...plain, prompt: [...plain.prompt, ...tokens] };
      const generation = await scheduler.submit(request);
      expect(generation.cachedTokens).toBe(64);
      expect(result(generation)).toEqual(result(await fresh(request)));
    }
  });

  test("is run again where a request asks for it, or needs a row of each position", async () => {
    const scheduler = make();
    await scheduler.submit(plain);
    const before = scheduler.stats;
    for (const request of [
      { ...plain, skipPrefixCache: true },
      { ...plain, capture: [0, 5] },
      { ...plain, promptLogprobs: 0 },
    ]) {
      const generation = await scheduler.submit(request);
      expect(generation.cachedTokens).toBe(0);
      expect(result(generation)).toEqual(result(await fresh(request)));
    }
    const { prefixQueries, prefixHits } = scheduler.stats;
    expect({ prefixQueries, prefixHits }).toEqual({
      prefixQueries: before.prefixQueries,
      prefixHits: before.prefixHits,
    });
    const after = make();
    await after.submit({ ...plain, capture: [0] });
    expect((await after.submit(plain)).cachedTokens).toBe(48);
  });

  test("is shared by equal salts only", async () => {
    const scheduler = make();
    const cached = async (cacheSalt?: string) =>
      (await scheduler.submit(cacheSalt === undefined ? plain : { ...plain, cacheSalt })).cachedTokens;
    expect([await cached("a"), await cached(), await cached(""), await cached("b")]).toEqual([0, 0, 0, 0]);
    expect([await cached("a"), await cached(), await cached("")]).toEqual([48, 48, 48]);
  });

  test("is not kept without a prefix cache, nor beyond its bytes, nor after the end", async () => {
    const none = make({ prefixBytes: 0 });
    await none.submit(plain);
    expect((await none.submit(plain)).cachedTokens).toBe(0);
    expect(none.stats).toMatchObject({ prefixBytes: 0, prefixQueries: 0 });
    // The requests under way come first: what they leave of the whole is all that the prefix cache gets.
    const block = kvCacheBytes(network.config, 16);
    const tight = make({ cacheBytes: kvCacheBytes(network.config, 52) + 2 * block });
    await tight.submit(plain);
    expect(tight.stats.prefixBytes).toBe(2 * block);
    expect((await tight.submit(plain)).cachedTokens).toBe(32);
    await tight.close();
    expect(tight.stats.prefixBytes).toBe(0);
  });
});

describe("steered and unsteered requests", () => {
  const steered = (...steering: SteeringVector[]) => ({ ...plain, steering });

  test("an unsteered request after a steered one equals a fresh baseline, and the other way round", async () => {
    const requests = [plain, steered(vector(1))];
    const baselines = await Promise.all(requests.map(fresh));
    expect(result(baselines[0]!)).not.toEqual(result(baselines[1]!));
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const scheduler = make();
      for (const which of order) {
        const generation = await scheduler.submit(requests[which]!);
        expect(generation.cachedTokens).toBe(0);
        expect(result(generation)).toEqual(result(baselines[which]!));
      }
      for (const which of order) {
        const generation = await scheduler.submit(requests[which]!);
        expect(generation.cachedTokens).toBe(48);
        expect(result(generation)).toEqual(result(baselines[which]!));
      }
    }
  });

  const ablated = (change: Partial<Intervention> = {}): GenerationRequest => {
    const ablation = { kind: "ablate", layers: [1], direction: someVector(96, 1), positions: null };
    return { ...plain, interventions: [{ ...ablation, ...change } as Intervention] };
  };
  const at = (positions: number[], seed: number) =>
    vector(seed, { positions, rows: someVector(96 * positions.length, seed) });
  test.each([
    ["another vector", steered(vector(1)), steered(vector(2)), 0],
    ["another scale", steered(vector(1)), steered(vector(1, { scale: 2.000001 })), 0],
    ["another layer", steered(vector(1)), steered(vector(1, { layers: [2] })), 0],
    ["norm-matched", steered(vector(1)), steered(vector(1, { normMatch: true })), 0],
    ["twice", steered(vector(1)), steered(vector(1), vector(1)), 0],
    ["another order", steered(vector(1), vector(2)), steered(vector(2), vector(1)), 0],
    ["another place", steered(at([3], 1)), steered(at([4], 1)), 0],
    ["a place in block 0, and plain", steered(at([15], 1)), plain, 0],
    ["one place in block 0, and one more in block 1", steered(at([3, 20], 1)), steered(at([3], 1)), 16],
    ["a place in block 1, and plain", steered(at([20], 1)), plain, 16],
    ["a place in block 2, and plain", plain, steered(at([40], 1)), 32],
    ["a place after the prompt, and plain", plain, steered(at([51], 1)), 48],
    ["an ablation, and plain", ablated(), plain, 0],
    [
      "a clamp to another value",
      ablated({ kind: "clamp", value: 1 }),
      ablated({ kind: "clamp", value: 2 }),
      0,
    ],
    ["an ablation in another direction", ablated(), ablated({ direction: someVector(96, 2) }), 0],
    ["an ablation after another layer", ablated(), ablated({ layers: [2] }), 0],
    ["an ablation at places from block 1 on", ablated({ positions: [40, 20] }), plain, 16],
    [
      "an order among places and everywhere",
      steered(vector(1), at([20], 2)),
      steered(at([20], 2), vector(1)),
      16,
    ],
  ])("share as far as nothing differs: %s", async (_, first, second, cached) => {
    const scheduler = make();
    await scheduler.submit(first);
    const generation = await scheduler.submit(second);
    expect(generation.cachedTokens).toBe(cached);
    expect(result(generation)).toEqual(result(await fresh(second)));
  });
});

test("random requests of overlapping prompts have the bits they have alone, whatever ran before or beside", async () => {
  const steering = fc.constantFrom<SteeringVector[]>(
    [],
    [vector(1)],
    [vector(1, { normMatch: true })],
    [vector(3, { positions: [30, 5], rows: someVector(192, 3) }), vector(1)],
  );
  const kinds: Record<string, Partial<GenerationRequest>> = {
    plain: {},
    choices: { n: 3 },
    capture: { capture: [0, 4] },
    scored: { promptLogprobs: 1 },
    salted: { cacheSalt: "s" },
    skips: { skipPrefixCache: true },
    ablated: {
      interventions: [{ kind: "ablate", layers: [1, 2], direction: someVector(96, 4), positions: null }],
    },
  };
  const request = fc
    .record({
      prompt: fc.tuple(fc.nat(1), fc.constantFrom(15, 17, 33, 34, 50)).map((parts) => text(...parts)),
      steering,
      maxTokens: fc.constantFrom(1, 17),
      temperature: fc.constantFrom(0, 1),
      kind: fc.constantFrom("plain", ...Object.keys(kinds)),
    })
    .map(({ kind, ...rest }): GenerationRequest => ({ ...rest, seed: 5, logprobs: 1, ...kinds[kind] }));
  const baselines = new Map<string, Promise<Generation>>();
  const baseline = (request: GenerationRequest) => {
    const key = JSON.stringify(request);
    const known = baselines.get(key) ?? fresh(request);
    baselines.set(key, known);
    return known;
  };
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(request, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 4 }),
      fc.constantFrom(7, 512),
      fc.constantFrom(3, 1000),
      async (rounds, passTokens, blocks) => {
        const scheduler = make({ passTokens, prefixBytes: blocks * kvCacheBytes(network.config, 16) });
        for (const round of [...rounds, ...rounds]) {
          const generations = await Promise.all(round.map((request) => scheduler.submit(request)));
          for (const [i, generation] of generations.entries()) {
            expect(result(generation)).toEqual(result(await baseline(round[i]!)));
            const { capture } = generation;
            const tokens = round[i]!.prompt.length + generation.choices[0]!.tokens.length - 1;
            if (capture !== null) expect(capture.positions).toBe(tokens);
          }
        }
        hits += scheduler.stats.prefixHits;
      },
    ),
    { numRuns: 20 },
  );
  expect(hits).toBeGreaterThan(0);
});
