import Ajv from "ajv";
import { completionEndpoints, endpoints, type Endpoint } from "@residua/client";
import { jobRequestSchema, parseCompletionRequest } from "@residua/engine/api";
import { openApi } from "../src/acs/open-api.ts";
import { octoaiOpenApi } from "../src/octoai/octoai-open-api.ts";
import { parseOctoaiRequest } from "../src/octoai/octoai-request.ts";
import { vllmOpenApi } from "../src/vllm/open-api.ts";
import {
  chatRequestSchema,
  completionRequestSchema,
  detokenizeRequestSchema,
  parseRequest,
  tokenizeTextSchema,
} from "../src/vllm/request-schema.ts";

/** Numbers at the edges of what a whole number, a fraction or a text of digits can be, as JSON has them. */
const numbers = [
  ...["0", "-0", "-1", "-2", "1", "1.0", "1.5", "0.1", "1e0", "1E2", "2.8e14", "5e-324", "1e-7", "-1e-7"],
  ...["2147483647", "2147483648", "4294967296", "9007199254740991", "9007199254740992", "9007199254740993"],
  ...["-2147483649", "-9007199254740991", "-9007199254740992", "9223372036854775807", "9223372036854775808"],
  ...["-9223372036854775809", "18446744073709551616", "41080472826463403230337366", "1e30", "-1e30", "1e308"],
];
const words = ["", "+1", " 1", "1 ", "1\n", "01", "0x10", "1_000", "1,0", "٧", "１", "²", "NaN", "Infinity"];
const texts = [...numbers, ...words, "9".repeat(400)];
const values: readonly unknown[] = [
  ...numbers.map((number) => JSON.parse(number) as number),
  ...texts,
  ...[true, false, null, [], {}],
];

/** Where a number stands deeper than at the top of a request. */
const within: Readonly<Record<string, ((value: unknown) => unknown)[]>> = {
  prompt: [(value) => [value], (value) => [[value]]],
  stop: [(value) => [value]],
  stream_options: [(value) => ({ include_usage: value })],
  output_residual_stream: [(value) => [value]],
  apply_steering_vectors: [
    (value) => [{ ...steering, layer_indices: [value] }],
    (value) => [{ ...steering, position_indices: [value] }],
    (value) => [{ ...steering, scale: value }],
    (value) => [{ ...steering, activations: { ...steering.activations, shape: [1, 1, value] } }],
  ],
  residua_interventions: [
    (value) => [{ ...clamp, value }],
    (value) => [{ ...clamp, layer_indices: [value] }],
    (value) => [{ ...clamp, direction: { ...clamp.direction, shape: [value] } }],
  ],
  stop_token_ids: [(value) => [value]],
  allowed_token_ids: [(value) => [value]],
  logit_bias: [(value) => ({ 5: value }), (value) => ({ [String(value)]: 1 })],
  vllm_xargs: [(value) => ({ a: value }), (value) => ({ a: [value] })],
  tokens: [(value) => [value]],
};
/** The size of a frame's numbers is not compared with the shape before the form is checked. */
const frame = { data: "KLUv/SAAAQAA", dtype: "float32", compression: "zstd" };
const steering = { activations: { ...frame, shape: [1, 1, 4] }, layer_indices: [1], position_indices: [0] };
const clamp = {
  kind: "clamp",
  value: 1,
  direction: { ...frame, shape: [4] },
  layer_indices: [1],
};

export interface Route {
  readonly document: object;
  /** Its name in the document. */
  readonly component: string;
  readonly check: (body: unknown) => unknown;
  readonly least: object;
  /** The same request of the client, and who takes more of it where they differ. */
  readonly client?: { readonly endpoint: Endpoint; readonly wider: "neither" | "client" | "server" };
}

const models = { needsKey: false, models: ["tiny"] };
const { acs, vllm } = endpoints;
export const routes: Readonly<Record<string, Route>> = {
  "acs completions": {
    document: openApi(models),
    component: "CompletionRequest",
    check: (body) => parseCompletionRequest(body),
    least: { model: "tiny", prompt: "a" },
    client: { endpoint: completionEndpoints.acs, wider: "neither" },
  },
  "acs job": {
    document: openApi(models),
    component: "JobRequest",
    check: (body) => parseCompletionRequest(body, jobRequestSchema),
    least: { model: "tiny", prompt: "a" },
    client: { endpoint: acs.find(({ name }) => name === "job")!, wider: "neither" },
  },
  // The API's page states few ranges, and the server has those of OpenAI.
  "octoai completions": {
    document: octoaiOpenApi(models),
    component: "CreateCompletionRequest",
    check: parseOctoaiRequest,
    least: { model: "tiny" },
    client: { endpoint: completionEndpoints.octoai, wider: "client" },
  },
  // As vLLM, the server checks ranges after the form, and says in the document what the form is.
  "vllm completions": {
    document: vllmOpenApi(),
    component: "CompletionRequest",
    check: (body) => parseRequest(completionRequestSchema, body),
    least: { prompt: "a" },
    client: { endpoint: completionEndpoints.vllm, wider: "server" },
  },
  "vllm chat": {
    document: vllmOpenApi(),
    component: "ChatCompletionRequest",
    check: (body) => parseRequest(chatRequestSchema, body),
    least: { messages: [] },
  },
  "vllm tokenize": {
    document: vllmOpenApi(),
    component: "TokenizeRequest",
    check: (body) => parseRequest(tokenizeTextSchema, body),
    least: { prompt: "a" },
    client: { endpoint: vllm.find(({ name }) => name === "tokenize")!, wider: "server" },
  },
  "vllm detokenize": {
    document: vllmOpenApi(),
    component: "DetokenizeRequest",
    check: (body) => parseRequest(detokenizeRequestSchema, body),
    least: { tokens: [1] },
    client: { endpoint: vllm.find(({ name }) => name === "detokenize")!, wider: "server" },
  },
};

export interface Schema {
  readonly properties?: Readonly<Record<string, object>>;
  readonly anyOf?: readonly Schema[];
}

export function schemaOf({ document, component }: Route): Schema {
  return (document as { components: { schemas: Record<string, Schema> } }).components.schemas[component]!;
}

/** Every field with every value, at the top and within. */
export function* requests(schema: Schema, least: object): Generator<{ field: string; body: object }> {
  const { properties = schema.anyOf![0]!.properties! } = schema;
  for (const field of Object.keys(properties)) {
    if (field === "model") continue;
    for (const place of [(value: unknown) => value, ...(within[field] ?? [])])
      for (const value of values) yield { field, body: { ...least, [field]: place(value) } };
  }
}

export const allowedBy = (schema: Schema) => new Ajv().compile(schema);
