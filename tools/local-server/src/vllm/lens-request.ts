import type { SteeringVector } from "@residua/engine";
import { z } from "zod";
import {
  decodeSteering,
  dropWrongWidth,
  refuseLongLists,
  type ServedModel,
  steeringSchema,
  type WireSteeringVector,
} from "@residua/engine/api";
import type { ActiveQuirks } from "../quirks/active-quirks.ts";
import { readLayers } from "./layer-selector.ts";
import type { Xargs } from "./request-schema.ts";
import { badRequest } from "./vllm-error.ts";

/** What a request asks of vllm-lens. */
export interface LensRequest {
  /** Ascending; empty for no capture. */
  readonly capture: readonly number[];
  readonly steering: readonly SteeringVector[];
  /** Answer with a handle for GET /v1/activations in place of the data. */
  readonly binary: boolean;
  readonly skipPrefixCache: boolean;
}

const supportedKeys = [
  "output_residual_stream",
  "apply_steering_vectors",
  "activations_transport",
  "skip_reading_prefix_cache",
];

/** Every key that vllm-lens 1.3 reads. */
export const lensKeys: readonly string[] = [...supportedKeys, "apply_hooks", "output_qk"];

/** Numbers of steering vectors that a request may hold, decoded. */
const mostSteeringNumbers = 16_777_216;

/** Reads `vllm_xargs`. Throws ApiError 400, naming the key, for what vllm-lens would not do as asked. */
export function readLensRequest(
  xargs: Xargs | null | undefined,
  served: ServedModel,
  quirks: ActiveQuirks,
): LensRequest {
  const keys = xargs ?? {};
  const unknown = Object.keys(keys).find((key) => !supportedKeys.includes(key));
  if (unknown !== undefined) {
    const reason = {
      apply_hooks: "runs Python functions, which this server does not",
      output_qk: "is not offered by this server",
    }[unknown];
    const problem = reason ?? `is no key that is read; there are ${supportedKeys.join(", ")}`;
    throw badRequest(`vllm_xargs: ${unknown.slice(0, 100)} ${problem}`);
  }
  const { output_residual_stream: selector, apply_steering_vectors: steering } = keys;
  const { config } = served.model;
  const layers = selector === undefined ? [] : readLayers(selector, config.layers, quirks);
  const vectors = steering === undefined ? [] : parseVectors(steering);
  const used = quirks.has("wrong-width-accepted")
    ? dropWrongWidth(vectors, layers, config.hiddenSize)
    : { layers, vectors };
  return {
    capture: used.layers,
    steering: readSteering(used.vectors, served),
    binary: readTransport(keys["activations_transport"]),
    skipPrefixCache: readSwitch(keys["skip_reading_prefix_cache"]),
  };
}

function readTransport(value: unknown): boolean {
  if (value === undefined || value === "base64") return false;
  if (value === "binary") return true;
  throw badRequest(`activations_transport: give "binary" or "base64"`);
}

function readSwitch(value: unknown): boolean {
  if (value === undefined || value === 0) return false;
  if (value === 1) return true;
  throw badRequest("skip_reading_prefix_cache: give 1, or leave it out");
}

function readSteering(vectors: readonly WireSteeringVector[], served: ServedModel): SteeringVector[] {
  const numbers = vectors.reduce(
    (sum, { activations: { shape } }) => sum + shape.reduce((product, size) => product * size, 1),
    0,
  );
  if (numbers > mostSteeringNumbers) {
    throw refused(`${numbers} numbers in all, over the ${mostSteeringNumbers} that this server takes`);
  }
  return vectors.map((vector, i) => decodeSteering(vector, `apply_steering_vectors[${i}]`, served));
}

function parseVectors(value: unknown): WireSteeringVector[] {
  if (typeof value !== "string") throw refused("give a JSON list of steering vectors in a string");
  let json: unknown;
  try {
    json = JSON.parse(value);
  } catch {
    throw refused("is not JSON (which has no NaN and no Infinity); give a list of steering vectors");
  }
  refuseLongLists({ apply_steering_vectors: json });
  const parsed = z.array(steeringSchema).min(1, "an empty list steers nothing").safeParse(json);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, 20).map(({ path, message }) => {
    const name = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
    return `apply_steering_vectors${name.slice(0, 100)}: ${message}`;
  });
  throw badRequest(problems.join("; "));
}

function refused(problem: string) {
  return badRequest(`apply_steering_vectors: ${problem}`);
}
