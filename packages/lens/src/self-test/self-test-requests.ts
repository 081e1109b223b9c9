import {
  APIError,
  type Completion,
  type CompletionRequest,
  type ProfileName,
  type RawRequest,
  type WireSteeringVector,
} from "@residua/client";
import { decodeTensor, encodeTensor, readValues, type Tensor, tensorHead } from "../codec/tensor-codec.ts";
import type { LensCore } from "../lens-core.ts";
import type { LensOptions } from "../lens-types.ts";
import { fieldAt } from "../profiles/field-path.ts";
import { withLensFields } from "../profiles/lens-fields.ts";
import { VerificationError } from "../verify/verification-error.ts";
import { verifyFinite } from "../verify/verify-finite.ts";

/** A request as the checks write it. */
export interface Ask {
  prompt: string | readonly number[];
  steering?: readonly WireSteeringVector[];
  /** Default 1. */
  maxTokens?: number;
  cacheSalt?: string;
  skipCache?: boolean;
  binary?: boolean;
  /** Other fields of the wire. */
  fields?: object;
}

export interface CaptureAsk extends Ask {
  layers: readonly number[];
}

/** A capture whose counts and numbers are right. */
export interface Rows {
  readonly completion: Completion;
  readonly promptTokens: number;
  /** prompt + generated − 1. */
  readonly positions: number;
  /** How many layers came. */
  readonly returned: number;
  /** The rows of a layer, one for each position. */
  of(layer: number): Float32Array[];
}

export type SelfTestRequests = ReturnType<typeof makeRequests>;

/**
 * Requests of a self-test, sent one by one as the wire has them: what was found of the server before does not change them.
 * `count` says how many were sent.
 */
export function makeRequests(
  { client, profile }: LensCore,
  { model, options }: { model: string; options: LensOptions },
) {
  let count = 0;
  let layerCount: number | undefined;

  const bodyOf = (ask: Ask & { layers?: readonly number[] | "all" }): object =>
    withLensFields(
      { model, prompt: ask.prompt, max_tokens: ask.maxTokens ?? 1, temperature: 0, ...ask.fields },
      profile,
      ask,
    );

  async function complete(ask: Ask): Promise<Completion> {
    count++;
    return client.completions.create(bodyOf(ask) as Body, options);
  }

  /** Throws VerificationError or TensorError for a capture that is not what was asked for. */
  async function capture(ask: CaptureAsk): Promise<Rows> {
    count++;
    const completion = await client.completions.create(bodyOf(ask) as Body, options);
    const wire = fieldAt(completion, profile.answer);
    if (wire === undefined || wire === null) throw missing(ask.layers);
    const usage = completion.usage;
    if (!usage)
      throw new VerificationError("token_count", "the answer has no usage, so its rows cannot be counted");
    const positions = usage.prompt_tokens + usage.completion_tokens - 1;
    const { shape } = tensorHead(wire);
    // A server that captures every layer whatever it is asked is found by one check; the others go on with its rows.
    const layers =
      shape[0] === layerCount ? Array.from({ length: shape[0] ?? 0 }, (_, i) => i) : ascending(ask.layers);
    if (layers.length !== shape[0]) throw wrongCount("layer_count", "layers", layers.length, shape[0]);
    if (positions !== shape[1])
      throw wrongCount("row_count", "rows (prompt + generated − 1)", positions, shape[1]);
    const tensor = await decodeTensor(wire);
    verifyFinite(tensor, layers);
    const of = (layer: number) => rowsAt(tensor, layers.indexOf(layer));
    return { completion, promptTokens: usage.prompt_tokens, positions, returned: layers.length, of };
  }

  /** Any route, past every check. An answer that is an error comes as `refused`, but for one that may be tried again. */
  async function raw(request: RawRequest, headers?: Readonly<Record<string, string>>): Promise<RawOutcome> {
    count++;
    try {
      const { body } = await client.request(request, { ...options, ...(headers && { headers }) });
      return { body };
    } catch (error) {
      if (error instanceof APIError && isRefusal(error)) return { refused: error };
      throw error;
    }
  }

  /** A completion that is wrong on purpose, past every check. */
  const wrong = (
    ask: Ask & { layers?: readonly number[] | "all" },
    change: object = {},
  ): Promise<RawOutcome> =>
    raw({ method: "POST", path: "/completions", body: { ...bodyOf(ask), ...change } });

  return {
    bodyOf,
    complete,
    capture,
    raw,
    wrong,
    /** The tensor of an answer that came by `wrong`, and the shape that it states; undefined where there is none. */
    tensorOf: (body: unknown) => fieldAt(body, profile.answer),
    shapeOf: (body: unknown): readonly number[] | undefined => {
      const wire = fieldAt(body, profile.answer);
      return wire === undefined || wire === null ? undefined : tensorHead(wire).shape;
    },
    /** Tells how many layers the model has. */
    setLayerCount: (layers: number) => void (layerCount = layers),
    count: () => count,
  };
}

const missing = (layers: readonly number[]): VerificationError =>
  new VerificationError(
    "missing_activations",
    `layers ${layers.join(", ")} were asked for, and the answer is a 200 without a capture`,
    { layers },
  );

const wrongCount = (
  code: "layer_count" | "row_count",
  what: string,
  expected: number,
  came: number | undefined,
) => new VerificationError(code, `${expected} ${what} expected, ${came ?? "none"} came`, { expected, came });

/** The server's own no, also under a 200; not a busy server, and no answer that broke. */
function isRefusal({ retryable, code }: APIError): boolean {
  return !retryable && code !== "incomplete_response" && code !== "unexpected_response";
}

/** One of `body`, an answer under a 200, and `refused`. */
export type RawOutcome = { body: unknown; refused?: undefined } | { body?: undefined; refused: APIError };

type Body = CompletionRequest<ProfileName> & { stream?: false };

const ascending = (layers: readonly number[]) => [...layers].sort((a, b) => a - b);

/** A direction as the wire has it: at every position, or (three dimensions) at those given. */
export function wireVector(
  layer: number,
  direction: Float32Array,
  {
    scale = 1,
    normMatch = false,
    positions,
  }: { scale?: number; normMatch?: boolean; positions?: readonly number[] } = {},
): WireSteeringVector {
  const shape = positions ? [1, positions.length, direction.length] : [1, direction.length];
  const values = new Float32Array(direction.length * (positions?.length ?? 1));
  for (let at = 0; at < values.length; at += direction.length) values.set(direction, at);
  return {
    activations: encodeTensor(values, shape),
    layer_indices: [layer],
    scale,
    norm_match: normMatch,
    ...(positions && { position_indices: [...positions] }),
  };
}

/** The rows of a layer of an answer that was asked for that one alone; none where it has no capture. */
export async function decodeRows(
  body: unknown,
  profile: LensCore["profile"],
  layer: number,
): Promise<Float32Array[]> {
  const wire = fieldAt(body, profile.answer);
  if (wire === undefined || wire === null) return [];
  const tensor = await decodeTensor(wire);
  return rowsAt(tensor, (tensor.shape[0] ?? 0) > layer ? layer : 0);
}

/** The rows of a tensor `[layers, positions, hiddenSize]` at one of its layers, by place. */
function rowsAt(tensor: Tensor, place: number): Float32Array[] {
  const [, positions = 0, width = 0] = tensor.shape;
  const start = place * positions;
  return Array.from({ length: positions }, (_, p) =>
    readValues(tensor, (start + p) * width, (start + p + 1) * width),
  );
}
