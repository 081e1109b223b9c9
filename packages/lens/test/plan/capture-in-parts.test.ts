import type { CompletionRequest } from "@residua/client";
import { describe, expect, it } from "vitest";
import { depth } from "../../src/layers/layer-choice.ts";
import { planted, rightAnswer } from "../replay-server.ts";
import { lensWithLimit } from "./small-limit.ts";

const prompt = "The sky is blue";
const request = { model: "tiny", prompt, layers: "all", max_tokens: 3, split: true } as const;
/** (5 prompt tokens + 3) × 8 numbers: two layers fit, and three do not. A text of 15 letters has at most 16 tokens. */
const twoLayers = 2 * (5 + 3) * 8;
const ids = [0, 100, 101, 102, 103];
const byIds = { ...request, prompt: ids };

type Answer = ReturnType<typeof rightAnswer>;
type Choice = { text: string; logprobs: { tokens: string[] } };
const choiceOf = (answer: Answer) => (answer.choices as Choice[])[0]!;

/** Right answers, but for those after the first, which are changed. */
function changing(change: (answer: Answer) => Answer | void) {
  let answered = 0;
  return (sent: CompletionRequest) => {
    const answer = rightAnswer(sent);
    return answered++ === 0 ? answer : (change(answer) ?? answer);
  };
}

describe("split: true", () => {
  it("sends as few requests as fit, one after the other, and merges their rows exactly", async () => {
    const { lens, server } = await lensWithLimit(twoLayers, rightAnswer);
    const capture = await lens.capture({ ...byIds, seed: 3, temperature: 1 });
    expect(server.requests.map(({ output_residual_stream: layers }) => layers)).toEqual([
      [0],
      [1, 2],
      [3, 4],
    ]);
    for (const sent of server.requests) expect(sent).toMatchObject({ seed: 3, prompt: ids, max_tokens: 3 });
    expect(server.requests[0]).not.toHaveProperty("split");
    expect(capture).toMatchObject({
      layers: [0, 1, 2, 3, 4],
      positions: 7,
      hiddenSize: 8,
      dtype: "bfloat16",
    });
    for (const layer of capture.layers)
      for (let position = 0; position < 7; position++)
        for (let i = 0; i < 8; i++)
          expect(capture.row({ layer, position })[i]).toBe(planted(layer, position, i));
    expect(capture.tokens.map(({ text }) => text).slice(5)).toEqual([" g0", " g1", " g2"]);
    // What the three requests used.
    expect(capture.completion.usage).toEqual({ prompt_tokens: 15, completion_tokens: 9, total_tokens: 24 });
    expect(capture.completion.choicesOf(0)).toHaveLength(1);
    expect(capture.checks.at(-1)).toEqual({
      code: "split",
      status: "pass",
      detail: "3 requests (layers 0; 1, 2; 3, 4) with the same 8 tokens",
    });
    expect(capture.checks.find(({ code }) => code === "capture_limit")?.status).toBe("pass");
  });

  it("sends one request where one fits, and any layers that are asked", async () => {
    const { lens, server } = await lensWithLimit(twoLayers, rightAnswer);
    const two = await lens.capture({ ...byIds, layers: [4, depth(0)] });
    expect(two.layers).toEqual([0, 4]);
    expect(two.checks.map(({ code }) => code)).not.toContain("split");
    const three = await lens.capture({ ...byIds, layers: [4, 0, 3] });
    expect(three.layers).toEqual([0, 3, 4]);
    expect(server.requests.map(({ output_residual_stream: layers }) => layers)).toEqual([
      [0, 4],
      [0],
      [3, 4],
    ]);
  });

  it("goes by the most tokens that a text may have, or by a tokenizer's count", async () => {
    const { lens, server } = await lensWithLimit(twoLayers, rightAnswer);
    await lens.capture(request);
    // 16 + 3 tokens: no layer is known to fit, and each goes by itself.
    expect(server.requests).toHaveLength(5);
    const tokenizer = { encode: (text: string) => [0, ...text.split(" ").map((_, i) => 100 + i)] };
    const counted = await lensWithLimit(twoLayers, rightAnswer, { tokenizer });
    await counted.lens.capture(request);
    expect(counted.server.requests).toHaveLength(3);
  });

  it("is not done unasked", async () => {
    const { lens, server } = await lensWithLimit(twoLayers, rightAnswer);
    const { split: _, ...unsplit } = byIds;
    for (const whole of [unsplit, { ...unsplit, split: false }]) {
      await expect(lens.capture(whole)).rejects.toThrow(
        "would fit: 2 of 5 layers at 8 tokens, or 3 requests (split: true), or 3 tokens at 5 layers",
      );
    }
    await expect(lens.capture({ ...byIds, split: "yes" as unknown as boolean })).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(server.requests).toEqual([]);
  });

  it("split sampled: is refused without a seed", async () => {
    const { lens, server } = await lensWithLimit(twoLayers, rightAnswer);
    await expect(lens.capture({ ...byIds, temperature: 0.7 })).rejects.toThrow(
      "3 requests at temperature 0.7 without a seed",
    );
    expect(server.requests).toEqual([]);
    expect((await lens.capture({ ...byIds, layers: [1], temperature: 0.7 })).layers).toEqual([1]);
  });

  it("is refused where not one layer fits", async () => {
    const { lens, server } = await lensWithLimit(63, rightAnswer);
    await expect(lens.capture(byIds)).rejects.toThrow("nothing at this size: not one layer has room");
    expect(server.requests).toEqual([]);
  });

  it.each<[string, (answer: Answer) => Answer | void, string]>([
    [
      "another token",
      (answer) => void (choiceOf(answer).logprobs.tokens[1] = " x"),
      'text of token 6 is " g1" for layers 0 and " x" for layers 1, 2',
    ],
    ["another text", (answer) => void (choiceOf(answer).text = " g0 g1 g"), "generated text is"],
    ["another checkpoint", (answer) => ({ ...answer, model: "residua/other" }), "checkpoint is"],
    ["another server", (answer) => ({ ...answer, system_fingerprint: "b" }), "system_fingerprint is"],
    [
      "another end",
      (answer) => ({ ...answer, choices: [{ ...choiceOf(answer), finish_reason: "stop" }] }),
      "finish_reason is",
    ],
  ])("split mismatch: %s in a later answer is refused", async (_, change, message) => {
    const { lens } = await lensWithLimit(twoLayers, changing(change));
    const failed = lens.capture(byIds);
    await expect(failed).rejects.toMatchObject({ code: "split_mismatch" });
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toThrow("their rows do not belong together");
  });

  it("split mismatch: fewer tokens in a later answer are refused", async () => {
    let answered = 0;
    const { lens } = await lensWithLimit(twoLayers, (sent) =>
      rightAnswer({ ...sent, max_tokens: answered++ === 0 ? 3 : 2 }),
    );
    await expect(lens.capture(byIds)).rejects.toThrow("number of tokens is 8 for layers 0 and 7");
  });

  it("says so where the answers do not name the generated tokens", async () => {
    const { lens } = await lensWithLimit(twoLayers, (sent) => {
      const answer = rightAnswer(sent);
      return { ...answer, choices: [{ ...choiceOf(answer), logprobs: null }] };
    });
    const { checks } = await lens.capture(byIds);
    expect(checks.at(-1)).toMatchObject({
      status: "unverified",
      detail: expect.stringContaining("of which 3 generated ones have neither id nor text") as string,
    });
  });
});
