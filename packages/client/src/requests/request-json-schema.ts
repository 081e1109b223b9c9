import * as z from "zod";
import type { ProfileName } from "../profiles.ts";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { endpoints } from "./endpoints/endpoints.ts";
import { filledPromptForms, filledPromptSchema, promptForms, promptSchema } from "./fields/prompt-pieces.ts";
import { ResiduaError } from "../residua-error.ts";

/** A JSON Schema (draft 7) as a plain object. */
export type JSONSchema = Record<string, unknown>;

/**
 * The JSON Schema of what an endpoint takes, such as `requestJSONSchema("acs", "completions")`. Each property says what it may
 * be and where that is stated. Rules over several fields, which JSON Schema cannot count, are in the description.
 * Throws ResiduaError `invalid_option` for an endpoint that the profile does not have.
 */
export function requestJSONSchema(profile: ProfileName, name: string): JSONSchema {
  const endpoint = endpoints[profile].find((one) => one.name === name);
  if (endpoint === undefined) {
    const names = endpoints[profile].map((one) => one.name).join(", ");
    throw new ResiduaError("invalid_option", `${profile} has no endpoint ${name}; it has ${names}`);
  }
  return schemaOf(endpoint);
}

function schemaOf({ profile, name, route, schema, fields, rules }: Endpoint): JSONSchema {
  const { $schema, properties, ...rest } = toJSON(schema);
  const told = Object.entries(properties as Record<string, JSONSchema>).map(([field, property]) => {
    const { allowed = "", source = "" } = fields[field] ?? {};
    return [field, { title: field, description: `${allowed}. Source: ${source}.`, ...property }];
  });
  const broken = rules.map(
    ({ formula, limit, setting }) =>
      `${formula}: ${limit === 0 ? "refused" : `at most ${limit}${setting ? ` (${setting})` : ""}`}`,
  );
  return {
    $schema,
    $id: `residua:${profile}/${name}`,
    title: `${profile} ${name}`,
    description: [route, ...broken].join(". "),
    ...rest,
    properties: Object.fromEntries(told) as JSONSchema,
  };
}

/** What the quick checks of prompts stand for. */
const forms = new Map<unknown, z.ZodType>([
  [promptSchema, promptForms],
  [filledPromptSchema, filledPromptForms],
]);

function toJSON(schema: z.ZodType): JSONSchema {
  return z.toJSONSchema(schema, {
    io: "input",
    target: "draft-7",
    override({ zodSchema, jsonSchema }) {
      const form = forms.get(zodSchema);
      if (form) Object.assign(jsonSchema, { anyOf: toJSON(form)["anyOf"] });
    },
  }) as JSONSchema;
}
