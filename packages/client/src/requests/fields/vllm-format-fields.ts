import * as z from "zod";
import { field } from "./field.ts";
import { sources } from "./sources.ts";

const { sampling, vllm } = sources;

const constraints = ["json", "regex", "choice", "grammar", "json_object", "structural_tag"] as const;

const structuredOutputs = z
  .strictObject({
    json: z.union([z.string().min(1), z.record(z.string(), z.unknown())]).nullish(),
    regex: z.string().nullish(),
    choice: z.array(z.string()).min(1).nullish(),
    grammar: z.string().min(1).nullish(),
    json_object: z.literal(true).nullish(),
    structural_tag: z.string().min(1).nullish(),
    disable_any_whitespace: z.boolean().optional(),
    disable_additional_properties: z.boolean().optional(),
    whitespace_pattern: z.string().nullish(),
  })
  .refine(
    (given) => constraints.filter((name) => given[name] !== undefined && given[name] !== null).length === 1,
    `exactly one of ${constraints.join(", ")}`,
  );

const jsonSchemaFormat = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  schema: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});

const responseFormat = z.union([
  z.strictObject({ type: z.literal(["text", "json_object"]) }),
  z.strictObject({ type: z.literal("json_schema"), json_schema: jsonSchemaFormat }),
  z.looseObject({ type: z.literal("structural_tag") }),
]);

/** What form vLLM's output must have. */
export const vllmFormatFields = {
  response_format: field(
    responseFormat.nullish(),
    "{ type: text, json_object, json_schema (with json_schema) or structural_tag }",
    vllm,
  ),
  structured_outputs: field(
    structuredOutputs.nullish(),
    `an object with exactly one of ${constraints.join(", ")}`,
    sampling,
  ),
};
