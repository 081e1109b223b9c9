import * as z from "zod";
import { nearestName } from "../nearest-name.ts";
import { field } from "./field.ts";
import { sources } from "./sources.ts";
import { layerList, type WireSteeringVector, wireSteeringVector } from "./wire-steering.ts";

/** vllm-lens reads every other value as "all layers", `false` and `0` among them, so those are refused. */
const layersAsked =
  "a list of layers from 0, each once, as a list or as JSON in a text; or true for all layers";

const layerSelector = z.union([
  layerList,
  z.literal(true),
  z.string().refine((text) => layersOfText(text) !== undefined, layersAsked),
]);

const steeringText = jsonList("steering vectors", z.array(wireSteeringVector).min(1));

/** Python functions that the server runs, made elsewhere and passed on. */
const hookText = jsonList(
  "hooks",
  z.array(z.looseObject({ layer_indices: z.array(z.int().nonnegative()).min(1) })).min(1),
);

const switchOn = z.union([z.literal([0, 1]), z.boolean()]);
const scalar = z.union([z.string(), z.number()]);

const lensKeys = {
  output_residual_stream: layerSelector.optional(),
  apply_steering_vectors: steeringText.optional(),
  apply_hooks: hookText.optional(),
  skip_reading_prefix_cache: switchOn.optional(),
  activations_transport: z.literal(["binary", "base64"]).optional(),
  output_qk: layerSelector.optional(),
  /** Read by vLLM itself. */
  session_id: z.string().optional(),
};

/** A key that is one of these but for a slip would be ignored in silence; any other one may belong to another extension. */
const xargs = z
  .object(lensKeys)
  .catchall(z.union([scalar, z.boolean(), z.array(scalar)]))
  .superRefine((given, context) => {
    for (const key of Object.keys(given)) {
      if (Object.hasOwn(lensKeys, key)) continue;
      const near = nearestName(key, Object.keys(lensKeys));
      if (near === undefined) continue;
      context.addIssue({ code: "custom", path: [key], message: `not a known key: did you mean ${near}?` });
    }
  });

export const xargsField = field(
  xargs.nullish(),
  `an object: output_residual_stream (${layersAsked}), apply_steering_vectors (JSON in a text: a list of steering vectors), ` +
    "apply_hooks, skip_reading_prefix_cache (1), activations_transport (binary or base64), output_qk, session_id; " +
    "keys of other extensions: a text, a number or a list of such",
  sources.lens,
);

/** What `output_residual_stream` asks for; undefined for what vllm-lens would read as something else. */
export function layersOfText(text: string): number[] | true | undefined {
  if (text === "all" || text === "true") return true;
  const parsed = layerList.safeParse(jsonOf(text));
  return parsed.success ? parsed.data : undefined;
}

/** The vectors that `apply_steering_vectors` holds. */
export function steeringOfText(text: string): WireSteeringVector[] {
  return jsonOf(text) as WireSteeringVector[];
}

/** JSON in a text, since vLLM takes no objects in vllm_xargs. */
function jsonList(what: string, schema: z.ZodType): z.ZodString {
  return z.string().superRefine((text, context) => {
    const json = jsonOf(text);
    const parsed = schema.safeParse(json);
    if (parsed.success) return;
    const [first] = parsed.error.issues;
    const at = first?.path
      .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
      .join("");
    const detail = json === undefined ? "is not JSON" : `${at ?? ""} ${first?.message ?? ""}`.trim();
    context.addIssue({ code: "custom", message: `a list of ${what} as JSON in a text; this ${detail}` });
  });
}

let last: { text: string; json: unknown } | undefined;

/** One check reads a text more than once, and it can be long: the last one is remembered for as long as the check takes. */
function jsonOf(text: string): unknown {
  if (last?.text === text) return last.json;
  let json: unknown;
  try {
    json = JSON.parse(text) as unknown;
  } catch {
    json = undefined;
  }
  last = { text, json };
  queueMicrotask(() => (last = undefined));
  return json;
}
