import { createClient } from "@residua/client";
import { openLocal } from "@residua/engine";
import { type CaptureRequest, createLens, intervention, steeringVector } from "@residua/lens";

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startServer } from "../../src/index.ts";
import { comparable, comparableCompletion, errorOf, openPair } from "./local-lens-support.ts";
import { tinyModel } from "../support.ts";

const pair = openPair(tinyModel);

const row = fc
  .array(fc.integer({ min: -8, max: 8 }), { minLength: 96, maxLength: 96 })
  .filter((numbers) => numbers.some((number) => number !== 0));
const place = fc.option(fc.constantFrom([0], [1, 2]), { nil: undefined });
const steering = fc
  .record({ row, scale: fc.constantFrom(-2, 0.5, 3), normMatch: fc.boolean(), layer: fc.nat(5), place })
  .map(({ row: numbers, layer, place: positions, ...how }) =>
    steeringVector({ rows: { [layer]: numbers }, ...how, ...(positions && { positions }) }),
  );
const change = fc
  .record({
    direction: row,
    layers: fc.subarray([0, 2, 5], { minLength: 1 }),
    value: fc.constantFrom(null, 1.5),
  })
  .map(({ value, ...where }) =>
    intervention(value === null ? { kind: "ablate", ...where } : { kind: "clamp", value, ...where }),
  );
const prompt = fc.oneof(
  fc.constantFrom("The city of Paris is in", "Calling something gripping is", "日本 🐈", "Verdict: true."),
  fc.array(fc.nat(899), { minLength: 4, maxLength: 12 }),
);
const sampling = fc.oneof(
  fc.constant({ temperature: 0 }),
  fc.record({ temperature: fc.constantFrom(0.7, 1), seed: fc.nat(99), top_p: fc.constantFrom(0.5, 1) }),
);
const request = fc
  .record(
    {
      prompt,
      layers: fc.subarray([-1, 0, 3, 5], { minLength: 1 }),
      max_tokens: fc.integer({ min: 1, max: 4 }),
      add_special_tokens: fc.boolean(),
      steering: fc.array(steering, { minLength: 1, maxLength: 2 }),
      interventions: fc.array(change, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: ["prompt", "layers", "max_tokens"] },
  )
  .chain((one) => sampling.map((how) => ({ ...one, ...how })));

describe("a local lens and one at the local server agree bit for bit", () => {
  test("in captures", async () => {
    await fc.assert(
      fc.asyncProperty(request, async (asked) => {
        const [local, http] = await Promise.all([pair.local.capture(asked), pair.http.capture(asked)]);
        const told = comparable(local);
        const other = comparable(http);
        // Of ids the hosted API does not tell the first one's text, and of bytes cut in a character nobody can.
        const [first] = told.tokens;
        if (other.tokens[0]!.text === null) other.tokens[0] = first!;
        const unsure = (checks: string[]) => checks.filter((check) => !check.startsWith("token_ids"));
        expect({ ...told, checks: unsure(told.checks) }).toEqual({ ...other, checks: unsure(other.checks) });
      }),
      { numRuns: 40 },
    );
  });

  test("in completions, their log probabilities and what is fanned out", async () => {
    for (const asked of [
      { prompt: "The city of Paris is in", max_tokens: 6, temperature: 0, logprobs: 3, prompt_logprobs: 2 },
      { prompt: [0, 265, 287], max_tokens: 5, seed: 3, echo: true, logprobs: 1 },
      { prompt: ["The", "A city"], n: 3, max_tokens: 4, seed: 7, temperature: 1.2, stop: ["."] },
      { prompt: "The", max_tokens: 3, prompt_logprobs: -1, temperature: 0 },
    ]) {
      const [local, http] = await Promise.all([pair.local.generate(asked), pair.http.generate(asked)]);
      expect(comparableCompletion(local)).toEqual(comparableCompletion(http));
    }
  });

  test("in plans, descriptions and proofs of steering", async () => {
    const asked = { prompts: ["The", "Paris is in Europe."], layers: [0, 5], max_tokens: 2 };
    const [local, http] = [await pair.local.planCapture(asked), await pair.http.planCapture(asked)];
    const sent = ({ captures }: typeof local) =>
      captures.map(({ request, fits, requests }) => [request, fits, requests]);
    expect(sent(local)).toEqual(sent(http));
    // Tokens are counted here, and bounded by their bytes there.
    const [exact, bounds] = [local.numbers!, http.numbers!];
    expect(local.captures.every(({ tokens }) => tokens.source === "tokenizer")).toBe(true);
    expect(bounds.least <= exact.least && exact.most <= bounds.most).toBe(true);
    expect(await pair.local.describe()).toEqual(await pair.http.describe());
    const vector = steeringVector({
      rows: { 2: Array.from({ length: 96 }, (_, i) => (i % 5) - 2) },
      scale: 2,
    });
    const proven = { prompt: "The city of Rome", steering: [vector] };
    const reports = [await pair.local.verifySteering(proven), await pair.http.verifySteering(proven)];
    expect(reports[0]).toEqual(reports[1]);
  });

  test.each<[string, object]>([
    ["an unknown layer", { prompt: "x", layers: [6] }],
    ["a layer twice", { prompt: "x", layers: [0, 0] }],
    ["no token", { prompt: "", layers: [0], add_special_tokens: false }],
    ["beyond the context", { prompt: Array(1024).fill(1), layers: [0] }],
    ["an unknown token", { prompt: [900], layers: [0] }],
    ["several choices", { prompt: "x", layers: [0], n: 2 }],
    ["a temperature", { prompt: "x", layers: [0], temperature: 101 }],
    ["too many stops", { prompt: "x", layers: [0], stop: ["a", "b", "c", "d", "e"] }],
    ["another model", { prompt: "x", layers: [0], model: "llama-8b" }],
    ["too many tokens", { prompt: "x", layers: [0], max_tokens: 40_000 }],
    ["numbers that overflow", { prompt: "x", layers: [5], interventions: [clampTo(1e300)] }],
    ["too many log probabilities", { prompt: "x", layers: [5], prompt_logprobs: -1, max_tokens: 20 }],
  ])("in the words of an error: %s", async (_, asked) => {
    const errors = await Promise.all(
      [pair.local, pair.http].map((lens) => errorOf(lens.capture(asked as CaptureRequest))),
    );
    expect(errors[0]).toBe(errors[1]);
  });
});

test("a conversation has the tokens and spans of one at a server with the same template", async () => {
  const template =
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
  const model = { ...pair.model, chatTemplate: { template, specialTokens: {} } };
  const local = await openLocal(model);
  const server = await startServer({ model, modelId: "local", profile: "vllm" });
  const http = createLens(createClient({ baseURL: server.url, profile: "vllm" }));
  try {
    const conversation = {
      messages: [
        { role: "user", content: "Where is Paris?" },
        { role: "assistant", content: "In Europe." },
        { role: "user", content: "And Rome?" },
      ],
    };
    const [one, other] = [await local.encodeChat(conversation), await http.encodeChat(conversation)];
    expect({ ...one, template: null }).toEqual({ ...other, template: null });
    expect(one.template).toMatchObject({
      source: "folder",
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(one.spans.length).toBeGreaterThan(9);
    await expect(local.encodeChat({ messages: [] })).rejects.toMatchObject({ code: "invalid_option" });
    await expect(local.encodeChat({ ...conversation, model: "x" })).rejects.toMatchObject({
      code: "model_not_found",
    });
  } finally {
    await server.close();
  }
  await expect(pair.local.encodeChat({ messages: [{ role: "user", content: "x" }] })).rejects.toMatchObject({
    code: "not_available",
  });
});

function clampTo(value: number) {
  return intervention({ kind: "clamp", value, direction: new Float32Array(96).fill(1), layers: [5] });
}
