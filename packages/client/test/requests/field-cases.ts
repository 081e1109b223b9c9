import fc from "fast-check";

/** What a field takes and refuses: values at both sides of each edge, and any value inside. */
interface FieldCase {
  taken: unknown[];
  refused: unknown[];
  inside: fc.Arbitrary<unknown>;
}

type Cases = Readonly<Record<string, FieldCase>>;

const none = Symbol("no further values");
const notNumbers = [NaN, Infinity, "1", true, [], {}];
const notTexts = [1, true, [], {}];

function of(
  taken: unknown[],
  refused: unknown[],
  inside: fc.Arbitrary<unknown> | typeof none = none,
): FieldCase {
  return { taken, refused, inside: inside === none ? fc.constantFrom(...taken) : inside };
}

function integer(min: number, max = Number.MAX_SAFE_INTEGER): FieldCase {
  const over = max === Number.MAX_SAFE_INTEGER ? 2 ** 53 : max + 1;
  return of(
    [min, max],
    [min - 1, over, min < 0 ? -0.5 : min + 0.5, ...notNumbers],
    fc.maxSafeInteger().map((n) => Math.min(max, Math.max(min, n))),
  );
}

function number(min: number, max: number, { open = false } = {}): FieldCase {
  const inside = fc.double({ min, max, minExcluded: open, noNaN: true });
  const low = open ? Number.MIN_VALUE : min;
  return of(
    [low, max],
    [open ? min : min - 1e-9, max + 1e-9, ...notNumbers.filter((v) => typeof v !== "number"), NaN, Infinity],
    inside,
  );
}

/** Any finite number. */
const anyNumber = of([0, -1e300, 1e300], notNumbers, fc.double({ noNaN: true, noDefaultInfinity: true }));
const overZero = of(
  [Number.MIN_VALUE, 1, 1e9],
  [0, -1, ...notNumbers],
  fc.double({ min: Number.MIN_VALUE, max: 1e300, noNaN: true }),
);
const flag = of([true, false], ["true", 0, 1, [], {}]);
const text = of(["", "me"], notTexts, fc.string());
const filledText = of(["a"], ["", ...notTexts], fc.string({ minLength: 1 }));
const ids = (least: number): FieldCase =>
  of(
    [[0], [1, 1, 2 ** 53 - 1]],
    [[-1], [1.5], ["1"], [true], [2 ** 53], 3, {}, ...(least > 0 ? [[]] : [])],
    fc.array(fc.nat(), { minLength: least }),
  );
const object = of([{}, { a: 1 }], [1, "a", []], fc.dictionary(fc.stringMatching(/^[a-z ]+$/), fc.string()));
const bias = of(
  [{}, { 0: 100, 128255: -100 }],
  [{ a: 1 }, { "-1": 1 }, { "٧": 1 }, { "007": 1 }, { 1: 100.1 }, { 1: -100.1 }, { 1: "1" }, [], 1],
  fc.dictionary(fc.nat().map(String), fc.double({ min: -100, max: 100, noNaN: true })),
);
const prompt = of(
  ["a", ["a", ""], [0], [1, 2], [[1], [2, 3]]],
  [
    [],
    [[]],
    [1, "a"],
    ["a", 1],
    [[1], []],
    [[1], 2],
    [[1], ["a"]],
    [-1],
    [1.5],
    [true],
    [2 ** 53],
    3,
    {},
    true,
  ],
  fc.oneof(
    fc.string({ minLength: 1 }),
    fc.array(fc.string(), { minLength: 1 }),
    fc.array(fc.nat(), { minLength: 1 }),
    fc.array(fc.array(fc.nat(), { minLength: 1 }), { minLength: 1 }),
  ),
);
const penalty = number(-2, 2);
const stop = of(
  ["\n", [], ["a", "b", "c", "d"]],
  ["", [""], ["a", "b", "c", "d", "e"], 4, [1]],
  fc.array(fc.string({ minLength: 1 }), { maxLength: 4 }),
);
const usage = of(
  [{}, { include_usage: true }, { include_usage: false }],
  [{ include_usage: 1 }, { usage: true }, true, "x"],
);

/** A null that counts as left out. */
const nullable = (one: FieldCase): FieldCase => ({ ...one, taken: [...one.taken, null] });
const never = (one: FieldCase): FieldCase => ({ ...one, refused: [...one.refused, null] });

/** A steering vector of a shape; a zstd frame states its size, and how much is in it is not looked at. */
export function steeringVector(shape: number[], more: object = {}) {
  const activations = { data: "KLUv/SAAAQAA", dtype: "float32", shape, compression: "zstd" } as const;
  return { activations, layer_indices: Array.from({ length: shape[0] ?? 0 }, (_, layer) => layer), ...more };
}

const vector = steeringVector([1, 4]);
const raw = { data: "AACAPwAAgD8=", dtype: "float32", shape: [1, 2] };
const wrongVectors = [
  { ...vector, layer_indices: [] },
  { ...vector, layer_indices: [-1] },
  { ...vector, layer_indices: [1, 2] },
  { ...steeringVector([2, 4]), layer_indices: [1, 1] },
  { ...vector, scael: 2 },
  { ...vector, scale: "2" },
  { ...vector, scale: NaN },
  { ...vector, norm_match: 1 },
  { ...vector, position_indices: [0] },
  steeringVector([1, 2, 4], { position_indices: [0] }),
  steeringVector([1, 1, 4], { position_indices: [-1] }),
  steeringVector([1, 1, 4], { position_indices: [] }),
  steeringVector([4]),
  steeringVector([1, 1, 1, 4]),
  steeringVector([1, 0]),
  { layer_indices: [1], activations: { ...raw, data: "AACAPw==" } },
  { layer_indices: [1], activations: { ...raw, data: "AACAPwAAgD8" } },
  { layer_indices: [1], activations: { ...raw, dtype: "bfloat16" } },
  { layer_indices: [1], activations: { ...raw, compression: "gzip" } },
  { layer_indices: [1], activations: { ...raw, compression: "zstd" } },
  { layer_indices: [1], activations: { data: raw.data, dtype: raw.dtype } },
];
const rightVectors = [
  vector,
  { layer_indices: [7], activations: raw },
  { layer_indices: [7], activations: { ...raw, compression: null, original_dtype: "torch.float32" } },
  steeringVector([1, 2, 4], { position_indices: [0, 5], scale: -1, norm_match: true }),
  steeringVector([2, 4], { layer_indices: [20, 2], position_indices: null }),
];
const steering = of(
  [...rightVectors.map((one) => [one]), Array(8).fill(vector)],
  [[], Array(9).fill(vector), vector, "x", ...wrongVectors.map((one) => [one])],
);
const layers = of(
  [true, false, [0], [20, 2]],
  [[], [1, 1], [-1], [1.5], ["1"], "all", 15, 0],
  fc.uniqueArray(fc.nat(200), { minLength: 1 }),
);

const xargs = of(
  [
    {},
    { output_residual_stream: "[20, 2]" },
    { output_residual_stream: [2, 20] },
    { output_residual_stream: "all", skip_reading_prefix_cache: 1 },
    { output_residual_stream: true, activations_transport: "binary" },
    { apply_steering_vectors: JSON.stringify(rightVectors) },
    { apply_hooks: JSON.stringify([{ fn: {}, layer_indices: [1] }]), output_qk: "true" },
    { session_id: "a", of_another_plugin: ["a", 1], its_switch: true, its_number: 2.5 },
  ],
  [
    // vllm-lens reads each of these as every layer, or as none, in silence.
    ...[
      "false",
      "0",
      "",
      "15",
      "null",
      "[]",
      "[-1]",
      "[1,1]",
      "[1.5]",
      '["3"]',
      '"[3]"',
      '{"a":1}',
      false,
      0,
      3,
      [],
      [-1],
    ].map((value) => ({ output_residual_stream: value })),
    ...["", "[]", "null", "{}", "[1]", "not json", 5, [vector]].map((value) => ({
      apply_steering_vectors: value,
    })),
    ...wrongVectors.map((one) => ({ apply_steering_vectors: JSON.stringify([one]) })),
    { apply_hooks: "[]" },
    { apply_hooks: '[{"layer_indices":[]}]' },
    { skip_reading_prefix_cache: "1" },
    { activations_transport: "zip" },
    { output_residual_streams: "[1]" },
    { aply_steering_vectors: "[]" },
    { a: null },
    { a: {} },
    { a: [[1]] },
    "x",
    [],
  ],
);

const acs: Cases = {
  model: never(filledText),
  prompt: never({ ...prompt, taken: ["", ...prompt.taken] }),
  max_tokens: nullable(integer(1)),
  temperature: nullable(number(0, 100)),
  n: nullable(integer(1)),
  echo: nullable(flag),
  logprobs: nullable(integer(0, 100)),
  prompt_logprobs: nullable(integer(-1, 100)),
  top_p: nullable(number(0, 1, { open: true })),
  top_k: nullable(integer(-1)),
  min_p: nullable(number(0, 1)),
  presence_penalty: nullable(penalty),
  frequency_penalty: nullable(penalty),
  repetition_penalty: nullable(overZero),
  seed: nullable(integer(0)),
  stop: nullable(stop),
  stream: nullable(flag),
  stream_options: nullable(usage),
  priority: nullable(
    of(
      [0, 9, "0", "17", "007", "9".repeat(400), true, false],
      [-1, 1.5, "", "1.5", "-1", "+1", " 1", "1e3", "٧", "a", [], {}],
      fc.oneof(fc.nat(), fc.nat().map(String), fc.boolean()),
    ),
  ),
  user: nullable(text),
  add_special_tokens: nullable(flag),
  output_residual_stream: nullable(layers),
  apply_steering_vectors: nullable(steering),
};

const vllm: Cases = {
  model: nullable(filledText),
  prompt: nullable({ ...prompt, refused: ["", ...prompt.refused] }),
  prompt_embeds: nullable(of(["AAAA", ["AAAA"]], ["", [], [""], 1, {}])),
  max_tokens: nullable(integer(0)),
  min_tokens: never(integer(0)),
  temperature: nullable(number(0, 2)),
  n: never(integer(1)),
  top_p: nullable(number(0, 1, { open: true })),
  top_k: nullable(integer(-1)),
  min_p: nullable(number(0, 1)),
  presence_penalty: nullable(penalty),
  frequency_penalty: nullable(penalty),
  repetition_penalty: nullable(overZero),
  length_penalty: never(anyNumber),
  seed: nullable(integer(Number.MIN_SAFE_INTEGER)),
  stop: nullable(stop),
  stop_token_ids: nullable(ids(0)),
  include_stop_str_in_output: never(flag),
  ignore_eos: never(flag),
  bad_words: never(of([[], ["a"]], [[""], "a", [1]], fc.array(fc.string({ minLength: 1 })))),
  allowed_token_ids: nullable(ids(1)),
  logit_bias: nullable(bias),
  use_beam_search: never(flag),
  thinking_token_budget: nullable(integer(-1)),
  repetition_detection: nullable(
    of(
      [{}, { max_pattern_size: 3, min_count: 2 }, { max_pattern_size: 3, min_pattern_size: 3, min_count: 2 }],
      [
        { max_pattern_size: -1 },
        { max_pattern_size: 3, min_count: 1 },
        { max_pattern_size: 2, min_pattern_size: 3, min_count: 2 },
        { max: 1 },
        1,
      ],
    ),
  ),
  priority: never(integer(Number.MIN_SAFE_INTEGER)),
  watermarking: never(flag),
  stream: nullable(flag),
  stream_options: nullable(
    of(
      [{}, { include_usage: true, continuous_usage_stats: false }],
      [{ continuous_usage_stats: 1 }, { usage: true }, true],
    ),
  ),
  stream_interval: nullable(integer(1)),
  echo: nullable(flag),
  suffix: nullable(of([null], ["", "x", 1])),
  logprobs: nullable(integer(-1)),
  prompt_logprobs: nullable(integer(-1)),
  logprob_token_ids: nullable({
    ...ids(1),
    refused: [...ids(1).refused, Array(129).fill(1)],
    inside: fc.array(fc.nat(), { minLength: 1, maxLength: 128 }),
  }),
  return_tokens_as_token_ids: nullable(flag),
  return_token_ids: nullable(flag),
  return_token_offsets: nullable(flag),
  skip_special_tokens: never(flag),
  spaces_between_special_tokens: never(flag),
  add_special_tokens: never(flag),
  truncate_prompt_tokens: nullable(integer(-1)),
  truncation_side: nullable(of(["left", "right"], ["middle", "", 1])),
  response_format: nullable(
    of(
      [
        { type: "text" },
        { type: "json_object" },
        { type: "json_schema", json_schema: { name: "a", schema: {} } },
        { type: "structural_tag", format: {} },
      ],
      [{ type: "xml" }, { type: "json_schema" }, {}, "text"],
    ),
  ),
  structured_outputs: nullable(
    of(
      [
        { choice: ["a"] },
        { json: {} },
        { json: "{}" },
        { regex: "a", json: null, whitespace_pattern: " " },
        { json_object: true },
      ],
      [
        {},
        { choice: [] },
        { choice: ["a"], regex: "a" },
        { grammar: "" },
        { json_object: false },
        { choices: ["a"] },
        "a",
      ],
    ),
  ),
  cache_salt: nullable(of(["a", "a".repeat(128)], ["", "a".repeat(129), "a@b", "a/b", "a\\b", "a\0b", 1])),
  request_id: never(filledText),
  session_id: nullable(text),
  user: nullable(text),
  routed_experts_prompt_start: never(integer(0)),
  kv_transfer_params: nullable(object),
  ec_transfer_params: nullable(object),
  vllm_xargs: nullable(xargs),
};

const octoai: Cases = {
  model: never(filledText),
  prompt: never({ ...prompt, taken: ["", ...prompt.taken] }),
  best_of: never(integer(1)),
  echo: never(flag),
  frequency_penalty: never(anyNumber),
  ignore_eos: never(flag),
  log_prompt: never(flag),
  logit_bias: nullable(bias),
  loglikelihood: never(flag),
  logprobs: nullable(integer(0)),
  max_tokens: never(integer(1)),
  min_p: never(anyNumber),
  n: never(integer(1)),
  peft: nullable(text),
  presence_penalty: never(anyNumber),
  repetition_penalty: never(anyNumber),
  seed: never(integer(Number.MIN_SAFE_INTEGER)),
  stop: never(of(["", "a", [], ["a", "b", "c", "d", "e"]], [1, [1], {}])),
  stream: never(flag),
  stream_options: never(usage),
  suffix: nullable(text),
  temperature: never(anyNumber),
  top_p: never(anyNumber),
  user: nullable(text),
};

const tokenizeCommon = {
  model: nullable(filledText),
  add_special_tokens: never(flag),
  return_token_strs: nullable(flag),
};

/** By `profile name`. */
export const fieldCases: Readonly<Record<string, Cases>> = {
  "acs completions": acs,
  "acs job": {
    ...acs,
    temperature: nullable(number(0, 2)),
    stream: nullable(of([false], [true, "false", 0])),
  },
  "vllm completions": vllm,
  "vllm tokenize": { ...tokenizeCommon, prompt: never(text) },
  "vllm tokenize_chat": {
    ...tokenizeCommon,
    messages: never(of([[], [{ role: "user", content: "a" }]], [[{}], "a", {}])),
    add_generation_prompt: never(flag),
    continue_final_message: never(flag),
    chat_template: nullable(text),
    chat_template_kwargs: nullable(object),
    media_io_kwargs: nullable(object),
    mm_processor_kwargs: nullable(object),
    tools: nullable(of([[], [{ type: "function" }]], ["a", [1], {}])),
  },
  "vllm detokenize": { model: nullable(filledText), tokens: never(ids(0)) },
  "octoai completions": octoai,
};

/** The least that each endpoint must have. */
export const leastRequest: Readonly<Record<string, object>> = {
  "acs completions": { model: "m", prompt: "a" },
  "acs job": { model: "m", prompt: "a" },
  "vllm completions": { prompt: "a" },
  "vllm tokenize": { prompt: "a" },
  "vllm tokenize_chat": { messages: [] },
  "vllm detokenize": { tokens: [] },
  "octoai completions": { model: "m" },
};
