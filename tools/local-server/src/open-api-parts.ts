import { z } from "zod";

interface OpenApiParts<Name extends string> {
  readonly ref: (name: Name) => object;
  /** Content that is JSON of this form. */
  readonly json: (name: Name) => { "application/json": { schema: object } };
  readonly answer: (description: string, name: Name) => { description: string; content: object };
  /** One event of a stream: a chunk, the error that ends it, or the end. */
  readonly streamEvent: (chunk: Name, error: Name) => object;
  /** The schemas as JSON Schema; `model` of a request takes these ids, or any. */
  readonly schemas: (models?: readonly string[]) => Record<string, object>;
}

/** The pieces of an OpenAPI 3.1 document whose components are the schemas that a profile checks with. */
export function openApiParts<Name extends string>(
  components: Readonly<Record<Name, z.ZodType>>,
): OpenApiParts<Name> {
  const ref = (name: Name) => ({ $ref: `#/components/schemas/${name}` });
  const json = (name: Name) => ({ "application/json": { schema: ref(name) } });
  return {
    ref,
    json,
    answer: (description, name) => ({ description, content: json(name) }),
    streamEvent: (chunk, error) => ({
      type: "object",
      required: ["data"],
      properties: {
        data: {
          anyOf: [
            { const: "[DONE]" },
            {
              type: "string",
              contentMediaType: "application/json",
              contentSchema: { anyOf: [ref(chunk), ref(error)] },
            },
          ],
        },
      },
    }),
    schemas: (models) =>
      Object.fromEntries(
        Object.entries<z.ZodType>(components).map(([name, schema]) => {
          const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: "input" });
          const model = name.endsWith("Request") ? jsonSchema.properties?.["model"] : undefined;
          if (models !== undefined && typeof model === "object") model.enum = [...models];
          return [name, jsonSchema];
        }),
      ),
  };
}

/** The part of a document that says whether its routes need a key. */
export function openApiSecurity(schemas: Record<string, object>, needsKey: boolean): object {
  return needsKey
    ? {
        components: { schemas, securitySchemes: { key: { type: "http", scheme: "bearer" } } },
        security: [{ key: [] }],
      }
    : { components: { schemas } };
}
