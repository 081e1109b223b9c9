import Ajv from "ajv";
import { describe, expect, it } from "vitest";
import { endpoints, requestJSONSchema } from "../../src/index.ts";
import { fieldCases, leastRequest } from "./field-cases.ts";

const named = Object.values(endpoints)
  .flat()
  .map((endpoint) => [`${endpoint.profile} ${endpoint.name}`, endpoint] as const);

/** What a JSON Schema cannot say: checks inside of a text, of tensors against their shapes, and of one field with another. */
const beyond = new Set([
  "apply_steering_vectors",
  "vllm_xargs",
  "structured_outputs",
  "repetition_detection",
]);

describe.each(named)("%s", (key, { profile, name, fields }) => {
  const schema = requestJSONSchema(profile, name);
  const validate = new Ajv({ allErrors: true }).compile(schema);
  const least = leastRequest[key] ?? {};

  it("says what each field may be and where that is stated", () => {
    const properties = schema["properties"] as Record<string, { title: string; description: string }>;
    expect(Object.keys(properties)).toEqual(Object.keys(fields));
    for (const [field, { allowed, source }] of Object.entries(fields)) {
      expect(properties[field]).toMatchObject({
        title: field,
        description: `${allowed}. Source: ${source}.`,
      });
    }
    expect(schema["additionalProperties"]).toBe(false);
  });

  it("takes and refuses what the client does", () => {
    expect(validate(least)).toBe(true);
    expect(validate({ ...least, no_such_field: 1 })).toBe(false);
    for (const [field, { taken, refused }] of Object.entries(fieldCases[key] ?? {})) {
      for (const value of taken)
        expect(validate({ ...least, [field]: value }), `${field} ${JSON.stringify(value)}`).toBe(true);
      // JSON has no NaN and no Infinity.
      const wrong = refused.filter((value) => typeof value !== "number" || Number.isFinite(value));
      if (beyond.has(field)) continue;
      for (const value of wrong) {
        expect(validate({ ...least, [field]: value }), `${field} ${JSON.stringify(value)}`).toBe(false);
      }
    }
  });
});

it("an endpoint that a profile does not have is named with those that it has", () => {
  expect(() => requestJSONSchema("octoai", "job")).toThrow(
    "octoai has no endpoint job; it has completions, models",
  );
});
