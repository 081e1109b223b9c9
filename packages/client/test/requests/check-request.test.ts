import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkRequest } from "../../src/requests/check-request.ts";
import type { CompletionRequest } from "../../src/requests/completion-request.ts";
import { steeringVector } from "./field-cases.ts";
import { InvalidRequestError } from "../../src/requests/invalid-request-error.ts";
import { acsCompletions } from "../../src/requests/endpoints/acs-completions.ts";

const base = { model: "llama-8b", prompt: "The sky is" };

/** The issues that a request gets, or none when it is taken. */
function issuesOf(request: object) {
  try {
    checkRequest(request as CompletionRequest);
    return [];
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.issues;
    throw error;
  }
}

const fieldsOf = (request: object) => issuesOf(request).map(({ field }) => field);

describe("checkRequest, fields", () => {
  it("names every unknown field with the nearest known one, never its value", () => {
    const issues = issuesOf({
      ...base,
      maxTokens: "acs-bm-secret",
      extra_body: {},
      vllm_xargs: {},
    });
    expect(issues.map(({ field, hint }) => [field, hint?.split(/[:;?]/)[0]])).toEqual([
      ["maxTokens", "did you mean max_tokens"],
      ["extra_body", "put its fields at the top level"],
      ["vllm_xargs", "with this profile capture and steering are top-level fields"],
    ]);
    expect(JSON.stringify(issues)).not.toContain("acs-bm-secret");
  });

  it("refuses a request that is no object, and a missing prompt", () => {
    for (const bad of [null, [], "text", 3]) expect(fieldsOf(bad as unknown as object)).toEqual(["(all)"]);
    expect(issuesOf({ model: "a" })).toMatchObject([{ field: "prompt", given: "missing" }]);
  });

  it("keeps only what the caller set; null counts as left out", () => {
    const request = { ...base, seed: undefined, temperature: 0, stop: null };
    expect(checkRequest(request)).toEqual({ ...base, temperature: 0 });
    expect(Object.keys(checkRequest(request))).toEqual(["model", "prompt", "temperature"]);
  });
});

describe("checkRequest, rules over several fields", () => {
  it("prints the worked sum", () => {
    const [issue] = issuesOf({ ...base, prompt: ["a", "b"], n: 128, max_tokens: 200 });
    expect(issue?.given).toBe(
      "2 prompts × 128 choices × 200 max_tokens = 51200, over the 32000 a request may generate",
    );
  });

  it("counts a left-out max_tokens as 16", () => {
    const names = fieldsOf({ ...base, prompt: Array<string>(1024).fill("a"), n: 2 });
    expect(names).toEqual(["max_tokens", "n", "max_tokens"]);
    expect(issuesOf({ ...base, max_tokens: 32001 })).toHaveLength(1);
  });

  it.each([
    [{ prompt: ["a", "b"], n: 2, max_tokens: 8000 }, true],
    [{ n: 128, max_tokens: 250 }, true],
    [{ n: 1024, max_tokens: 31 }, true],
    [{ n: 1024, max_tokens: 32 }, false],
    [{ n: 16, max_tokens: 2001 }, false],
    [{ n: 1025, max_tokens: 1 }, false],
    [{ n: 2 }, false],
    [{ prompt: ["a", "b"] }, false],
    [{ prompt: ["a"] }, true],
    [{ model: undefined }, false],
    [{ prompt: "" }, true],
    [{ prompt: "", add_special_tokens: false }, false],
    [{ prompt: ["a", ""], max_tokens: 1, add_special_tokens: false }, false],
    [{ stream_options: {} }, false],
    [{ stream_options: {}, stream: true }, true],
    [{ prompt: Array<number>(256).fill(1), prompt_logprobs: -1 }, true],
    [{ prompt: Array<number>(257).fill(1), prompt_logprobs: -1 }, false],
    [{ prompt: Array<number>(65).fill(1), prompt_logprobs: -1, n: 4, max_tokens: 1 }, false],
    [{ prompt: Array<number>(16).fill(1), prompt_logprobs: -1, output_residual_stream: true }, true],
    [{ prompt: Array<number>(17).fill(1), prompt_logprobs: -1, output_residual_stream: [1] }, false],
    [{ prompt: Array<number>(17).fill(1), prompt_logprobs: -1, output_residual_stream: false }, true],
    [{ output_residual_stream: true, n: 2, max_tokens: 1 }, false],
    [{ output_residual_stream: [1], prompt: ["a", "b"], max_tokens: 1 }, false],
    [{ output_residual_stream: false, n: 2, max_tokens: 1 }, true],
    [{ prompt: Array<number>(32_500).fill(1), prompt_logprobs: 100, n: 10, max_tokens: 1 }, true],
    [{ prompt: Array<number>(33_300).fill(1), prompt_logprobs: 100, n: 10, max_tokens: 1 }, false],
    [
      {
        prompt: Array<number>(16_700).fill(1),
        prompt_logprobs: 100,
        logprobs: 100,
        echo: true,
        n: 10,
        max_tokens: 1,
      },
      false,
    ],
    [{ prompt: Array<number>(16_700).fill(1), prompt_logprobs: 100, echo: true, n: 10, max_tokens: 1 }, true],
  ] as [object, boolean][])("case %#", (fields, taken) => {
    expect(issuesOf({ ...base, ...fields }).length === 0).toBe(taken);
  });

  it("counts steering numbers by shape and the model's hidden size", () => {
    const steered = (...shapes: number[][]) => ({
      ...base,
      apply_steering_vectors: shapes.map((shape) => steeringVector(shape)),
    });
    expect(issuesOf(steered([1, 512, 4096]))).toEqual([]);
    expect(issuesOf(steered([1, 512, 4096], [1, 4096]))[0]?.given).toContain(
      "(1 layers × 512 positions + 1 layers × 1 positions) × 4096 hidden size = 2101248, over the 2097152 numbers",
    );
    expect(fieldsOf(steered(...Array<number[]>(9).fill([1, 1])))).toEqual(["apply_steering_vectors"]);
  });

  it("takes a request if and only if every rule holds (property)", () => {
    const request = fc.record({
      model: fc.constant("llama-8b"),
      prompt: fc.oneof(
        fc.string(),
        fc.array(fc.string(), { minLength: 1, maxLength: 40 }),
        fc.array(fc.nat(1000), { minLength: 1, maxLength: 400 }),
      ),
      n: fc.option(fc.integer({ min: 1, max: 1500 }), { nil: undefined }),
      max_tokens: fc.option(fc.integer({ min: 1, max: 40_000 }), { nil: undefined }),
      prompt_logprobs: fc.option(fc.integer({ min: -1, max: 100 }), { nil: undefined }),
      output_residual_stream: fc.option(fc.boolean(), { nil: undefined }),
    });
    fc.assert(
      fc.property(request, (fields) => {
        const { prompt, n = 1, max_tokens, prompt_logprobs, output_residual_stream: capture } = fields;
        const ids = typeof prompt !== "string" && typeof prompt[0] === "number";
        const prompts = typeof prompt === "string" || ids ? 1 : prompt.length;
        // Of a text only bounds are known: what its least count exceeds is refused.
        const least = ids ? prompt.length : prompts === 1 ? 1 : prompts;
        const tokens = least * n;
        const holds =
          prompts * n * (max_tokens ?? 16) <= 32_000 &&
          prompts * n <= 1024 &&
          (max_tokens !== undefined || prompts * n === 1) &&
          (prompt_logprobs !== -1 || tokens <= (capture === true ? 16 : 256)) &&
          (capture !== true || (prompts * n === 1 && 32 * (least + (max_tokens ?? 16)) <= 8192)) &&
          tokens * ((prompt_logprobs ?? 0) + 1) <= 33_554_432;
        expect(issuesOf(fields).length === 0).toBe(holds);
      }),
      { numRuns: 2000 },
    );
  });
});

it("every field and rule says what it allows and where that is said", () => {
  for (const { allowed, source } of Object.values(acsCompletions.fields))
    expect(allowed && source).toBeTruthy();
  for (const rule of acsCompletions.rules) expect(rule.formula && rule.source && rule.allows).toBeTruthy();
  expect(new Set(acsCompletions.rules.map(({ name }) => name)).size).toBe(acsCompletions.rules.length);
});
