import type { CompletionRequest } from "@residua/client";
import { describe, expect, it } from "vitest";
import { steeringVector } from "../../src/steering/steering-vector.ts";
import { rightAnswer } from "../replay-server.ts";
import { collect, lensAt } from "../lens-at.ts";

const steering = [steeringVector({ rows: { 3: [1, 2, 3, 4, 5, 6, 7, 8] } })];
const request = { model: "tiny", prompt: ["The sky", "A"], n: 2, max_tokens: 3, steering };

/** A steered answer whose text says what it was sampled with. */
function sampled(sent: CompletionRequest): object {
  const answer = rightAnswer({ ...sent, output_residual_stream: [] });
  const [choice] = answer.choices as object[];
  return { ...answer, choices: [{ ...choice, text: `${String(sent.prompt)} ${sent.seed}` }] };
}

describe("generateMany", () => {
  it("gives each choice its own answer and seed", async () => {
    const { lens, server } = await lensAt(sampled);
    const run = lens.generateMany({ ...request, seed: 7 });
    const texts = (await collect(run)).map(({ completion }) => completion?.choices[0]?.text);
    expect(texts).toEqual(["The sky 7", "The sky 8", "A 7", "A 8"]);
    expect(run.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 12, total_tokens: 17 });
    for (const sent of server.requests)
      expect(sent.apply_steering_vectors).toMatchObject([{ layer_indices: [3] }]);
  });

  it("counts a prompt whose first choice failed by another one", async () => {
    const { lens } = await lensAt((sent) =>
      sent.seed === 7 ? { error: { message: "no", code: "internal_error" } } : sampled(sent),
    );
    const run = lens.generateMany({ ...request, seed: 7 });
    expect((await collect(run)).map(({ error }) => error?.code)).toEqual([
      "internal_error",
      undefined,
      "internal_error",
      undefined,
    ]);
    expect(run.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 6, counted: 2 });
  });
});

describe("generate of several", () => {
  it("is one completion: choices p · n + i, usage with each prompt once", async () => {
    const { lens } = await lensAt(sampled);
    const completion = await lens.generate({ ...request, seed: 7 });
    expect(completion.choices.map(({ index, text, seed }) => [index, text, seed])).toEqual([
      [0, "The sky 7", 7],
      [1, "The sky 8", 8],
      [2, "A 7", 7],
      [3, "A 8", 8],
    ]);
    expect(completion.choicesOf(1).map(({ text }) => text)).toEqual(["A 7", "A 8"]);
    expect(() => completion.choicesOf(2)).toThrow(RangeError);
    expect(completion.usage).toEqual({ prompt_tokens: 5, completion_tokens: 12, total_tokens: 17 });
    expect(completion).toMatchObject({ object: "text_completion", model: "residua/tiny" });
  });

  it("has no usage where an answer had none, and is one request for one", async () => {
    const { lens, server } = await lensAt((sent) => ({ ...sampled(sent), usage: null }));
    expect((await lens.generate(request)).usage).toBeUndefined();
    const one = await lens.generate({ ...request, prompt: "A", n: 1 });
    expect(one.choices).toHaveLength(1);
    expect(server.requests).toHaveLength(5);
  });

  it("ends by the signal", async () => {
    const { lens, server } = await lensAt(sampled);
    const signal = AbortSignal.abort();
    await expect(lens.generate(request, { signal })).rejects.toMatchObject({ code: "aborted" });
    expect(server.requests).toEqual([]);
  });

  it("fails with what the first failure is, before sending where it can", async () => {
    const { lens, server } = await lensAt(() => ({ error: { message: "no", code: "internal_error" } }));
    await expect(lens.generate({ ...request, n: 0 })).rejects.toMatchObject({ code: "invalid_request" });
    await expect(lens.generate({ ...request, prompt: [] })).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(server.requests).toEqual([]);
    await expect(lens.generate(request)).rejects.toMatchObject({ code: "internal_error" });
  });
});
