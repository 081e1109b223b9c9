import * as z from "zod";
import { LensOptionError } from "./lens-option-error.ts";

/** Where a value stands in a body: the names from the outside in, such as `["vllm_xargs", "output_residual_stream"]`. */
export type FieldPath = readonly string[];

const path = z.array(z.string().min(1)).min(1).readonly();
const form = z.literal(["list", "json"]);
/** Under the base URL. */
const route = z.string().startsWith("/");
const positive = z.int().positive();
/** What can be seen of a cause: the plugin's route is missing; a layer may not exist; the request steers; several choices came. */
const sign = z.literal(["no_plugin", "unknown_layers", "steered", "several_choices"]);

const profileSchema = z.strictObject({
  name: z.string().min(1),
  /** What is known of the server's version, for records. */
  version: z.string().min(1).optional(),
  capture: z.strictObject({
    path,
    /** A list, or the same as JSON in a text. */
    form,
    /** What asks for every layer of a model whose number of layers is not known. */
    all: z.union([z.literal(true), z.string()]),
    /** A layer that is named twice: an error, or asked once. */
    repeated: z.literal(["refuse", "merge"]),
    /** The layers of the answer: those asked (default), or every layer whatever is asked; then those asked are cut out. */
    gives: z.literal(["asked", "all"]).optional(),
    /** Sent with each capture, so that the answer names its tokens. */
    fields: z.record(z.string(), z.unknown()),
    /** True here asks for the token embeddings as well: layer −1, the first of the answer. */
    embeddings: path.optional(),
  }),
  /** Where the tensor stands in the answer. */
  answer: path,
  steering: z.strictObject({
    path,
    form,
    /** What norm_match takes the norm of: the whole stream, or the half of it that a block adds. */
    norm: z.literal(["stream", "delta"]).optional(),
  }),
  /** Where ablation and clamping go, and how many a request may have. Residua's own servers have them. */
  interventions: z.strictObject({ path, most: positive }).optional(),
  /** Sent with each steered completion, so that the answer names its tokens. */
  generateFields: z.record(z.string(), z.unknown()).optional(),
  /** A text here keeps what a request leaves in the prefix cache from all others. */
  cacheSalt: path.optional(),
  /** This here makes a request compute every position anew. */
  skipCache: z.strictObject({ path, value: z.union([z.string(), z.number(), z.boolean()]) }).optional(),
  /** How to get tensors as bytes of a route of their own: `{handle}` in it is the answer's. */
  binary: z.strictObject({ path, value: z.string(), route: z.string().includes("{handle}") }).optional(),
  /** Where hooks go in a request, and the routes of those that stay registered. */
  hooks: z
    .strictObject({
      path,
      routes: z.strictObject({
        register: route,
        collect: route,
        clear: route,
        clearResults: route,
      }),
    })
    .optional(),
  limits: z.strictObject({
    captureNumbers: positive,
    steeringVectors: positive,
    steeringNumbers: positive,
    /** Characters of one vector's base64 from which on it is sent packed. */
    steeringBase64: positive.optional(),
  }),
  /** A route that the server has only where it captures: 404 there explains an answer without a capture. */
  pluginRoute: z
    .strictObject({ method: z.literal(["GET", "POST"]), path: z.string().startsWith("/") })
    .optional(),
  /** Known causes of an answer without a capture, the likeliest first. What shows a `sign` puts it first, or last. */
  missing: z
    .array(z.union([z.string().min(1), z.strictObject({ cause: z.string().min(1), sign })]))
    .min(1)
    .readonly(),
});

/** How one kind of server takes captures and steering and gives them back, as data. */
export type LensProfile = Readonly<z.output<typeof profileSchema>>;

/** A profile of one's own. Throws `invalid_option` that names the field. */
export function readLensProfile(given: unknown): LensProfile {
  const parsed = profileSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(
    ({ path: at, message }) => `${at.join(".") || "profile"}: ${message}`,
  );
  throw new LensOptionError(`profile is not a lens profile: ${issues.join("; ")}`);
}
