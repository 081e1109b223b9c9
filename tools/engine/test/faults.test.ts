import { beforeAll, expect, test } from "vitest";
import type { GenerationRequest } from "../src/generation-request.ts";
import { defaultLimits, Scheduler } from "../src/scheduler.ts";
import { endlessTiny, someVector } from "./support.ts";

let make: () => Scheduler;
beforeAll(async () => {
  const { network, tokenizer } = await endlessTiny();
  make = () => new Scheduler(network, tokenizer, defaultLimits(network));
});

const prompt = Array.from({ length: 40 }, (_, i) => (i * 31) % 890);
const plain: GenerationRequest = { prompt, maxTokens: 4, temperature: 0, logprobs: 2 };
const vector = { layers: [2], rows: someVector(96, 1), positions: null, scale: 2, normMatch: false };
const steered: GenerationRequest = { ...plain, steering: [vector] };
const norms = (rows: Float32Array) =>
  Array.from({ length: rows.length / 96 }, (_, i) => Math.hypot(...rows.subarray(i * 96, (i + 1) * 96)));

test("shareSteeredCache: a later unsteered request is changed, but not with a salt or past the cache", async () => {
  const faults = { shareSteeredCache: true } as const;
  const scheduler = make();
  const first = await scheduler.submit({ ...steered, faults });
  expect(first.choices).toEqual((await make().submit(steered)).choices);
  const clean = (await make().submit(plain)).choices;
  const contaminated = await scheduler.submit(plain);
  expect(contaminated.cachedTokens).toBe(32);
  expect(contaminated.choices[0]!.logprobs).not.toEqual(clean[0]!.logprobs);
  expect((await scheduler.submit({ ...plain, skipPrefixCache: true })).choices).toEqual(clean);
  expect((await scheduler.submit({ ...plain, cacheSalt: "s" })).choices).toEqual(clean);
  // The steered request does not read, not even its own rows.
  expect(await scheduler.submit({ ...steered, faults })).toEqual(first);
});

test("captureGap: a capture lacks the rows that the cache had, and says nothing", async () => {
  const request = { ...plain, capture: [1, 5] };
  const whole = (await make().submit(request)).capture!;
  const scheduler = make();
  const gapped = { ...request, faults: { captureGap: true } } as const;
  expect((await scheduler.submit(gapped)).capture).toEqual(whole);
  const { capture, cachedTokens } = await scheduler.submit(gapped);
  expect(cachedTokens).toBe(32);
  expect(capture!.positions).toBe(whole.positions - 32);
  capture!.values.forEach((rows, i) => expect(rows).toEqual(whole.values[i]!.slice(32 * 96)));
});

test("normMatchDelta: the addition's norm is that of the feed-forward output, and no cache row is shared", async () => {
  const layers = [0, 1, 2];
  const matched = { ...plain, capture: layers, steering: [{ ...vector, scale: 0.5, normMatch: true }] };
  const faulty = { ...matched, faults: { normMatchDelta: true } } as const;
  const base = (await make().submit({ ...plain, capture: layers })).capture!;
  const half = (await make().submit({ ...plain, capture: layers, faults: { halfResidual: true } })).capture!;
  const run = (await make().submit(faulty)).capture!;
  expect(run.values.slice(0, 2)).toEqual(base.values.slice(0, 2));
  const added = norms(run.values[2]!.map((value, i) => value - base.values[2]![i]!));
  const fed = norms(half.values[2]!);
  const stream = norms(base.values[2]!);
  prompt.forEach((_, at) => {
    expect(added[at]! / fed[at]!).toBeCloseTo(0.5, 4);
    expect(Math.abs(added[at]! / stream[at]! - 0.5)).toBeGreaterThan(0.02);
  });
  const scheduler = make();
  await scheduler.submit(faulty);
  const { capture: _, ...uncaptured } = matched;
  expect((await scheduler.submit(uncaptured)).cachedTokens).toBe(0);
});
