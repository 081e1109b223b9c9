import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeModel } from "../../src/catalogue/model-description.ts";
import { ruleOutcomes } from "../../src/requests/check-request.ts";
import { acsCompletions } from "../../src/requests/endpoints/acs-completions.ts";
import { acsJob } from "../../src/requests/endpoints/acs-job.ts";
import type { Endpoint } from "../../src/requests/endpoints/endpoint.ts";
import { octoaiCompletions } from "../../src/requests/endpoints/octoai-completions.ts";
import { vllmCompletions } from "../../src/requests/endpoints/vllm-completions.ts";
import type { Knowledge } from "../../src/requests/rules/request-facts.ts";
import { steeringVector } from "./field-cases.ts";

const ids = (length: number) => Array<number>(length).fill(1);
const texts = (length: number) => Array<string>(length).fill("a");
const vectors = (...shapes: number[][]) => shapes.map((shape) => steeringVector(shape));
const xargs = (layers: unknown, ...shapes: number[][]) => ({
  vllm_xargs: {
    ...(layers !== undefined && { output_residual_stream: layers }),
    ...(shapes.length > 0 && { apply_steering_vectors: JSON.stringify(vectors(...shapes)) }),
  },
});

function outcomes(request: object, endpoint: Endpoint, known?: Knowledge) {
  return new Map(ruleOutcomes(request, endpoint, known).map((outcome) => [outcome.rule, outcome]));
}

/** A rule at its limit, and one over it. */
type Edge = [rule: string, fits: object, exceeds: object, sum: string];

const acsEdges: Edge[] = [
  [
    "output_work",
    { max_tokens: 32_000 },
    { max_tokens: 32_001 },
    "1 prompts × 1 choices × 32001 max_tokens = 32001",
  ],
  ["output_work", { n: 128, max_tokens: 250 }, { n: 128, max_tokens: 251 }, "= 32128"],
  [
    "output_work",
    { prompt: texts(2), n: 2, max_tokens: 8000 },
    { prompt: texts(2), n: 2, max_tokens: 8001 },
    "2 prompts × 2 choices",
  ],
  ["output_work", { n: 2000 }, { n: 2001 }, "1 prompts × 2001 choices × 16 max_tokens = 32016"],
  ["max_tokens_required", { n: 1 }, { n: 2 }, "1 prompts × 2 choices = 2"],
  ["max_tokens_required", { prompt: ["a"] }, { prompt: ["a", "b"] }, "2 prompts × 1 choices = 2"],
  ["max_tokens_required", { prompt: ["a", "b"], n: 2, max_tokens: 1 }, { prompt: [[1], [2]] }, "2 prompts"],
  [
    "full_vocabulary",
    { prompt: ids(256), prompt_logprobs: -1 },
    { prompt: ids(257), prompt_logprobs: -1 },
    "257 prompt tokens × 1 choices = 257",
  ],
  [
    "full_vocabulary",
    { prompt: ids(64), prompt_logprobs: -1, n: 4 },
    { prompt: ids(65), prompt_logprobs: -1, n: 4 },
    "= 260",
  ],
  [
    "full_vocabulary_with_capture",
    { prompt: ids(16), prompt_logprobs: -1, output_residual_stream: [1] },
    { prompt: ids(17), prompt_logprobs: -1, output_residual_stream: true },
    "17 prompt tokens",
  ],
  [
    "prompt_logprobs_total",
    { prompt: ids(33_222), prompt_logprobs: 100, n: 10 },
    { prompt: ids(33_223), prompt_logprobs: 100, n: 10 },
    "33223 prompt tokens × 10 choices × 101 log probabilities = 33555230",
  ],
  [
    "prompt_logprobs_total",
    { prompt: ids(32_896), prompt_logprobs: 100, logprobs: 0, echo: true, n: 10 },
    { prompt: ids(32_897), prompt_logprobs: 100, logprobs: 0, echo: true, n: 10 },
    "× 102 log probabilities",
  ],
  [
    "prompt_logprobs_total",
    { prompt: [ids(10_000), ids(6611)], prompt_logprobs: 100, logprobs: 100, echo: true, n: 10 },
    { prompt: [ids(10_000), ids(6612)], prompt_logprobs: 100, logprobs: 100, echo: true, n: 10 },
    "16612 prompt tokens × 10 choices × 202 log probabilities",
  ],
  // Without logprobs echo adds nothing.
  [
    "prompt_logprobs_total",
    { prompt: ids(33_222), prompt_logprobs: 100, echo: true, n: 10 },
    { prompt: ids(33_223), prompt_logprobs: 100, echo: true, n: 10 },
    "× 101",
  ],
  ["prompt_logprobs_not_with_stream", { prompt_logprobs: 0 }, { prompt_logprobs: 0, stream: true }, ""],
  [
    "stream_options_only_with_stream",
    { stream: true, stream_options: { include_usage: true } },
    { stream_options: { include_usage: true } },
    "",
  ],
  [
    "capture_one_prompt",
    { output_residual_stream: [1], prompt: ["a"] },
    { output_residual_stream: [1], prompt: ["a", "b"] },
    "2 prompts",
  ],
  [
    "capture_one_choice",
    { output_residual_stream: true, n: 1 },
    { output_residual_stream: true, n: 2 },
    "2 choices",
  ],
  [
    "steering_one_prompt",
    { apply_steering_vectors: vectors([1, 4]) },
    { apply_steering_vectors: vectors([1, 4]), prompt: [[1], [2]] },
    "2 prompts",
  ],
  [
    "steering_one_choice",
    { apply_steering_vectors: vectors([1, 4]) },
    { apply_steering_vectors: vectors([1, 4]), n: 2 },
    "2 choices",
  ],
  [
    "capture_not_with_stream",
    { output_residual_stream: false, stream: true },
    { output_residual_stream: [1], stream: true },
    "",
  ],
  [
    "capture_layers",
    { output_residual_stream: [31, 0] },
    { output_residual_stream: [0, 32] },
    "32 as the last layer",
  ],
  [
    "steering_layers",
    { apply_steering_vectors: [steeringVector([1, 4], { layer_indices: [31] })] },
    { apply_steering_vectors: [steeringVector([1, 4], { layer_indices: [32] })] },
    "32 as the last layer",
  ],
  [
    "capture_numbers",
    { output_residual_stream: true, prompt: ids(255), max_tokens: 1 },
    { output_residual_stream: true, prompt: ids(256), max_tokens: 1 },
    "32 layers × (256 prompt tokens + 1 max_tokens) × 4096 hidden size = 33685504",
  ],
  [
    "capture_numbers",
    { output_residual_stream: [0, 1, 2, 3], prompt: ids(2032) },
    { output_residual_stream: [0, 1, 2, 3], prompt: ids(2033) },
    "4 layers × (2033 prompt tokens + 16 max_tokens) × 4096",
  ],
  [
    "steering_numbers",
    { apply_steering_vectors: vectors([32, 16, 4096]) },
    { apply_steering_vectors: vectors([32, 16, 4096], [1, 4096]) },
    "= 2101248",
  ],
  ["prompt_in_vocabulary", { prompt: [128_255] }, { prompt: [1, 128_256] }, "128256 as a token id"],
];

describe.each([
  ["acs completions", acsCompletions, 1024],
  ["acs job", acsJob, 128],
] as const)("the limits of %s, at the limit and one over it", (_, endpoint, choices) => {
  it.each(acsEdges)("%s %#", (rule, fits, exceeds, sum) => {
    const base = { model: "llama-8b", prompt: "a" };
    expect(outcomes({ ...base, ...fits }, endpoint).get(rule)).toMatchObject({ outcome: "fits" });
    const found = outcomes({ ...base, ...exceeds }, endpoint).get(rule);
    expect(found?.outcome).toBe("exceeds");
    expect(found?.sum).toContain(sum);
  });

  it(`${choices} choices`, () => {
    const at = (n: number, prompt: unknown) =>
      outcomes({ prompt, n, max_tokens: 1 }, endpoint).get("choices")?.outcome;
    expect([at(choices, "a"), at(choices + 1, "a")]).toEqual(["fits", "exceeds"]);
    expect([at(choices / 4, texts(4)), at(choices / 4, texts(5))]).toEqual(["fits", "exceeds"]);
    expect([at(1, texts(choices)), at(1, texts(choices + 1))]).toEqual(["fits", "exceeds"]);
  });

  it.each([
    ["llama-8b", 8192],
    ["llama-405b", 2048],
    ["trinity-truebase", 10_922],
  ])("one layer of %s may have %i tokens", (model, most) => {
    const at = (tokens: number) =>
      outcomes({ model, prompt: ids(tokens - 1), max_tokens: 1, output_residual_stream: [0] }, endpoint).get(
        "capture_numbers",
      )?.outcome;
    expect([at(most), at(most + 1)]).toEqual(["fits", "exceeds"]);
  });
});

describe("what is not known", () => {
  const capture = { model: "other", prompt: ids(2047), max_tokens: 1, output_residual_stream: [0] };

  it("a model that the catalogue lacks counts as 16384 wide; one whose catalogue was not read is unknown", () => {
    const model = describeModel("other", []);
    expect(outcomes(capture, acsCompletions, { model }).get("capture_numbers")?.outcome).toBe("fits");
    const over = { ...capture, max_tokens: 2 };
    expect(outcomes(over, acsCompletions, { model }).get("capture_numbers")?.outcome).toBe("exceeds");
    const unread = outcomes(over, acsCompletions, { modelReason: "it is down" }).get("capture_numbers");
    expect(unread).toMatchObject({ outcome: "unknown", limit: 33_554_432 });
    expect(unread?.reason).toBe("the model's hidden size is not known: it is down");
    // Under the widest model it fits whatever the model is.
    expect(
      outcomes(capture, acsCompletions, { modelReason: "it is down" }).get("capture_numbers")?.outcome,
    ).toBe("fits");
  });

  it("what was merely observed serves no limit", () => {
    const observed = { layers: 4, contextLength: 10, vocabSize: 2 };
    const model = describeModel("other", [], { observed });
    const found = outcomes({ prompt: ids(100), output_residual_stream: [9] }, acsCompletions, { model });
    for (const rule of ["capture_layers", "context_length", "prompt_in_vocabulary"]) {
      expect(found.get(rule)?.outcome).not.toBe("exceeds");
    }
    const stated = describeModel("other", [], { stated: observed });
    const refused = outcomes({ prompt: ids(100), output_residual_stream: [9] }, acsCompletions, {
      model: stated,
    });
    for (const rule of ["capture_layers", "context_length"])
      expect(refused.get(rule)?.outcome).toBe("exceeds");
  });

  it("a text fits when its bytes fit, exceeds when one token would, and is unknown between", () => {
    const at = (length: number, more: object = {}) =>
      outcomes({ prompt: "é".repeat(length), prompt_logprobs: -1, ...more }, acsCompletions).get(
        "full_vocabulary",
      );
    // Two bytes each, and BOS.
    expect(at(127)).toMatchObject({
      outcome: "fits",
      sum: "1 to 255 prompt tokens × 1 choices = from 1 to 255",
    });
    expect(at(128)).toMatchObject({ outcome: "unknown" });
    expect(at(128)?.reason).toMatch(/without a tokenizer/);
    expect(at(128, { add_special_tokens: false })?.outcome).toBe("fits");
    expect(at(1, { n: 257 })?.outcome).toBe("exceeds");
    const known = outcomes({ prompt: "é".repeat(300), prompt_logprobs: -1 }, acsCompletions, {
      tokens: [257],
    });
    expect(known.get("full_vocabulary")).toMatchObject({
      outcome: "exceeds",
      sum: "257 prompt tokens × 1 choices = 257",
    });
  });

  it("the context is counted where its length is known, and a left-out max_tokens is a bound", () => {
    const model = {
      ...describeModel("m", []),
      contextLength: { value: 100, source: "catalogue" as const },
    };
    const at = (request: object, endpoint: Endpoint = acsCompletions) =>
      outcomes({ model: "m", ...request }, endpoint, { model }).get("context_length")?.outcome;
    expect(outcomes({ prompt: ids(9), max_tokens: 1 }, acsCompletions).get("context_length")).toMatchObject({
      outcome: "unknown",
      limit: undefined,
    });
    expect([at({ prompt: ids(90), max_tokens: 10 }), at({ prompt: ids(91), max_tokens: 10 })]).toEqual([
      "fits",
      "exceeds",
    ]);
    expect([at({ prompt: ids(84) }), at({ prompt: ids(85) }), at({ prompt: ids(100) })]).toEqual([
      "fits",
      "unknown",
      "exceeds",
    ]);
    // The longest of several counts, not their sum.
    expect(at({ prompt: [ids(60), ids(90)], max_tokens: 10 })).toBe("fits");
    expect(at({ prompt: "a".repeat(200), max_tokens: 10 })).toBe("unknown");
    expect(at({ prompt: ids(500), max_tokens: 10, truncate_prompt_tokens: 90 }, vllmCompletions)).toBe(
      "fits",
    );
    expect(at({ prompt: ids(500), max_tokens: 10, truncate_prompt_tokens: 91 }, vllmCompletions)).toBe(
      "exceeds",
    );
    expect(at({ prompt: ids(500), max_tokens: 100, truncate_prompt_tokens: -1 }, vllmCompletions)).toBe(
      "fits",
    );
  });

  it("a setting of the server is never refused", () => {
    const at = (request: object, rule: string) =>
      outcomes({ prompt: "a", ...request }, vllmCompletions).get(rule);
    expect(at({ logprobs: 20 }, "logprobs_setting")?.outcome).toBe("fits");
    expect(at({ logprobs: 21 }, "logprobs_setting")).toMatchObject({ outcome: "unknown", limit: 20 });
    expect(at({ logprobs: 21 }, "logprobs_setting")?.reason).toMatch(/--max-logprobs/);
    expect(at({ prompt_logprobs: -1 }, "prompt_logprobs_setting")?.outcome).toBe("unknown");
    expect([at({ n: 16_384 }, "choices")?.outcome, at({ n: 16_385 }, "choices")?.outcome]).toEqual([
      "fits",
      "unknown",
    ]);
    expect([
      at({ prompt: texts(1024) }, "prompts")?.outcome,
      at({ prompt: texts(1025) }, "prompts")?.outcome,
    ]).toEqual(["fits", "unknown"]);
    const long = { prompt: ids(1_000_000), ...xargs("[1]") };
    const model = {
      ...describeModel("m", []),
      hiddenSize: { value: 4096, source: "catalogue" as const },
    };
    expect(outcomes(long, vllmCompletions, { model }).get("capture_numbers")?.outcome).toBe("unknown");
  });

  it("every outcome has its formula and source, and one that does not apply says so", () => {
    for (const outcome of ruleOutcomes({ prompt: "a" }, acsCompletions)) {
      expect(outcome.source && outcome.formula).toBeTruthy();
      if (outcome.outcome === "unknown") expect(outcome.reason).toBeTruthy();
      if (outcome.sum === undefined) expect(outcome.reason).toBe("does not apply to this request");
    }
  });
});

describe("vllm", () => {
  const edges: Edge[] = [
    ["prompt_required", { prompt_embeds: "AAAA" }, { prompt: undefined }, ""],
    ["greedy_one_choice", { n: 2, temperature: 1e-5 }, { n: 2, temperature: 0 }, "2 choices"],
    ["greedy_one_choice", { n: 1, temperature: 0 }, { n: 2, temperature: 9e-6 }, "2 choices"],
    ["no_tokens_only_with_echo", { max_tokens: 0, echo: true }, { max_tokens: 0 }, ""],
    [
      "min_tokens_at_most_max_tokens",
      { min_tokens: 5, max_tokens: 5 },
      { min_tokens: 6, max_tokens: 5 },
      "6 min_tokens",
    ],
    ["min_tokens_at_most_max_tokens", { min_tokens: 16 }, { min_tokens: 17 }, "17 min_tokens"],
    [
      "min_tokens_at_most_max_tokens",
      { min_tokens: 1, max_tokens: 0, echo: true },
      { min_tokens: 2, max_tokens: 0, echo: true },
      "",
    ],
    [
      "prompt_logprobs_not_with_stream",
      { prompt_logprobs: 0, stream: true },
      { prompt_logprobs: 1, stream: true },
      "",
    ],
    ["prompt_logprobs_not_with_stream", { prompt_logprobs: -1 }, { prompt_logprobs: -1, stream: true }, ""],
    [
      "logprob_token_ids_with_logprobs",
      { logprob_token_ids: [1, 2], logprobs: 1 },
      { logprob_token_ids: [1, 2] },
      "",
    ],
    [
      "logprob_token_ids_with_tokens",
      { logprob_token_ids: [1], logprobs: 1, echo: true },
      { logprob_token_ids: [1], logprobs: 1, echo: true, max_tokens: 0 },
      "",
    ],
    [
      "logprob_token_ids_with_tokens",
      { logprob_token_ids: [1] },
      { logprob_token_ids: [1], use_beam_search: true },
      "",
    ],
    [
      "stream_options_only_with_stream",
      { stream_options: {} },
      { stream_options: { include_usage: true } },
      "",
    ],
    ["beam_search_not_with_stream", { use_beam_search: true }, { use_beam_search: true, stream: true }, ""],
    ["embeddings_alone", { prompt_embeds: "AAAA" }, { prompt_embeds: "AAAA", echo: true }, ""],
    ["embeddings_alone", { prompt_embeds: "AAAA" }, { prompt_embeds: "AAAA", prompt_logprobs: 0 }, ""],
    ["capture_one_prompt", xargs("[1]"), { prompt: texts(2), ...xargs("[1]") }, "2 prompts"],
    ["capture_one_prompt", xargs([1]), { prompt_embeds: "AAAA", ...xargs("all") }, "2 prompts"],
    ["capture_one_choice", xargs("[1]"), { n: 2, ...xargs(true) }, "2 choices"],
    [
      "steering_one_prompt",
      xargs(undefined, [1, 4]),
      { prompt: [[1], [2]], ...xargs(undefined, [1, 4]) },
      "2 prompts",
    ],
    ["steering_one_choice", xargs(undefined, [1, 4]), { n: 3, ...xargs(undefined, [1, 4]) }, "3 choices"],
    [
      "capture_not_with_stream",
      { stream: true, ...xargs(undefined, [1, 4]) },
      { stream: true, ...xargs("[1]") },
      "",
    ],
    ["lens_not_with_beam_search", { use_beam_search: true }, { use_beam_search: true, ...xargs("[1]") }, ""],
    ["lens_not_with_beam_search", xargs("[1]"), { use_beam_search: true, ...xargs(undefined, [1, 4]) }, ""],
  ];
  it.each(edges)("%s %#", (rule, fits, exceeds, sum) => {
    expect(outcomes({ prompt: "a", ...fits }, vllmCompletions).get(rule)).toMatchObject({ outcome: "fits" });
    const found = outcomes({ prompt: "a", ...exceeds }, vllmCompletions).get(rule);
    expect(found?.outcome).toBe("exceeds");
    expect(found?.sum).toContain(sum);
  });

  it("does not guess the temperature that a server takes by itself", () => {
    expect(outcomes({ prompt: "a", n: 2 }, vllmCompletions).get("greedy_one_choice")).toMatchObject({
      outcome: "unknown",
    });
    expect(
      outcomes({ prompt: "a", n: 2, temperature: 0, use_beam_search: true }, vllmCompletions).get(
        "greedy_one_choice",
      )?.outcome,
    ).toBe("fits");
  });

  it("token ids of every field are in the vocabulary, where it is known", () => {
    const request = {
      prompt: [[1], [2, 50]],
      stop_token_ids: [49],
      allowed_token_ids: [1, 51],
      logprob_token_ids: [52],
      logprobs: 1,
      logit_bias: { 53: 1 },
    };
    const at = (most: number) =>
      ruleOutcomes(request, vllmCompletions, { vocabulary: { least: most, most } })
        .filter(({ rule, outcome }) => rule.endsWith("_in_vocabulary") && outcome === "exceeds")
        .map(({ field }) => field);
    expect(at(54)).toEqual([]);
    expect(at(53)).toEqual(["logit_bias.53"]);
    expect(at(49)).toEqual([
      "prompt[1][1]",
      "stop_token_ids[0]",
      "allowed_token_ids[1]",
      "logprob_token_ids[0]",
      "logit_bias.53",
    ]);
    const unknown = ruleOutcomes(request, vllmCompletions).filter(({ rule }) =>
      rule.endsWith("_in_vocabulary"),
    );
    expect(new Set(unknown.map(({ outcome }) => outcome))).toEqual(new Set(["unknown"]));
  });
});

describe("octoai", () => {
  it.each([
    ["best_of_at_least_n", { best_of: 2, n: 2 }, { best_of: 2, n: 3 }],
    ["best_of_at_least_n", { n: 3 }, { best_of: 1, n: 2 }],
    [
      "stream_options_only_with_stream",
      { stream: true, stream_options: { include_usage: true } },
      { stream_options: { include_usage: true } },
    ],
  ])("%s %#", (rule, fits, exceeds) => {
    const at = (more: object) => outcomes({ model: "m", ...more }, octoaiCompletions).get(rule)?.outcome;
    expect([at(fits), at(exceeds)]).toEqual(["fits", "exceeds"]);
  });
});

it("sums are those of an independent count in whole numbers of any size (property)", () => {
  const size = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  const list = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
  const top = fc.integer({ min: 0, max: 100 });
  fc.assert(
    fc.property(
      list,
      size,
      size,
      top,
      fc.option(top),
      fc.boolean(),
      (lengths, n, max_tokens, k, logprobs, echo) => {
        const request = {
          model: "llama-8b",
          prompt: lengths.map(ids),
          n,
          max_tokens,
          prompt_logprobs: k,
          echo,
          ...(logprobs !== null && { logprobs }),
        };
        const found = outcomes(request, acsCompletions);
        const tokens = BigInt(lengths.reduce((a, b) => a + b, 0));
        const each = BigInt(k) + 1n + (echo && logprobs !== null ? BigInt(logprobs) + 1n : 0n);
        const wanted: [string, bigint, bigint][] = [
          ["output_work", BigInt(lengths.length) * BigInt(n) * BigInt(max_tokens), 32_000n],
          ["choices", BigInt(lengths.length) * BigInt(n), 1024n],
          ["prompt_logprobs_total", tokens * BigInt(n) * each, 33_554_432n],
        ];
        for (const [rule, value, limit] of wanted) {
          const outcome = found.get(rule);
          expect(outcome?.sum?.split(" = ")[1]).toBe(String(value));
          expect(outcome?.outcome).toBe(value > limit ? "exceeds" : "fits");
        }
      },
    ),
    { numRuns: 500 },
  );
});

it("a capture's numbers are those of an independent count (property)", () => {
  const layers = fc.uniqueArray(fc.nat(31), { minLength: 1 });
  fc.assert(
    fc.property(
      layers,
      fc.integer({ min: 1, max: 9000 }),
      fc.integer({ min: 1, max: 9000 }),
      (asked, tokens, max_tokens) => {
        const request = { model: "llama-8b", prompt: ids(tokens), max_tokens, output_residual_stream: asked };
        const value = BigInt(asked.length) * (BigInt(tokens) + BigInt(max_tokens)) * 4096n;
        const found = outcomes(request, acsCompletions).get("capture_numbers");
        expect(found?.sum?.split(" = ")[1]).toBe(String(value));
        expect(found?.outcome).toBe(value > 33_554_432n ? "exceeds" : "fits");
      },
    ),
  );
});
