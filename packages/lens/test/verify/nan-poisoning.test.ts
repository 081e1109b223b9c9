import { APIError, type Completion } from "@residua/client";
import { describe, expect, it } from "vitest";
import { explainFault, verifyNotPoisoned } from "../../src/verify/nan-poisoning.ts";
import { exchange } from "../replay-server.ts";
import { codeOf, vllmAt } from "../recorded/vllm-replay.ts";

const prompt = "The capital of France is";
const at = (name: string) => {
  const { response_body: body, status } = exchange(name);
  return vllmAt(({ path }) => (path === "/v1/completions" ? { body, status } : undefined));
};

describe("NaN in the server's cache", () => {
  it("is named where log probabilities could not be written, and what to do", async () => {
    const { lens, completions } = await at("nan_3_after_NaN_logprobs");
    await expect(lens.capture({ prompt, layers: [3] })).rejects.toThrow("Restart the server");
    expect(await codeOf(lens.generate({ prompt, max_tokens: 2 }))).toBe("nan_poisoning");
    expect(completions()).toHaveLength(2);
  });

  it("is named where every token is token 0, alone and of many", async () => {
    const { lens, completions } = await at("nan_2_after_NaN_0");
    await expect(lens.generate({ prompt, max_tokens: 8 })).rejects.toMatchObject({
      code: "nan_poisoning",
      data: { choice: 0, tokens: 8 },
    });
    expect(completions()[0]?.body).toMatchObject({ return_token_ids: true });
    const many = lens.generateMany({ prompt: [prompt, prompt], max_tokens: 8 });
    for await (const { error } of many) expect(error?.code).toBe("nan_poisoning");
  });

  it("is not named where token 0 may be right", () => {
    const choices = [{ index: 0, text: "", token_ids: [0, 0, 0] }];
    const answer = (one: object = {}) =>
      ({ choices: choices.map((choice) => ({ ...choice, ...one })) }) as Completion;
    expect(() => verifyNotPoisoned({}, answer())).toThrow("all 3 generated tokens are token 0");
    for (const asked of [{ ignore_eos: true }, { allowed_token_ids: [0] }, { logit_bias: { "0": 100 } }])
      expect(() => verifyNotPoisoned(asked, answer())).not.toThrow();
    for (const one of [
      { token_ids: [0] },
      { token_ids: [0, 5] },
      { token_ids: null },
      { logprobs: { tokens: ["", "", ""], token_logprobs: [-1, -1, -1] } },
    ])
      expect(() => verifyNotPoisoned({}, answer(one))).not.toThrow();
  });

  it("other faults are as they were", () => {
    const other = new Error("x");
    expect(explainFault(other)).toBe(other);
    expect(other).not.toBeInstanceOf(APIError);
  });
});
