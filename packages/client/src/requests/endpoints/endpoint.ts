import * as z from "zod";
import type { ProfileName } from "../../profiles.ts";
import type { Field } from "../fields/field.ts";
import type { RequestRule } from "../rules/request-rule.ts";

/** What one route of one kind of server takes, as data: the check, the types, the error texts and the docs are made of it. */
export interface Endpoint<S extends z.ZodType<object, object> = z.ZodType<object, object>> {
  readonly profile: ProfileName;
  /** Unique within the profile. */
  readonly name: string;
  /** What a request is called in an error. */
  readonly what: string;
  /** Method and path, as the server names them. */
  readonly route: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** For fields that people send and the server refuses or would ignore: what to do instead. */
  readonly hints: Readonly<Record<string, string>>;
  /** Rules over several fields. */
  readonly rules: readonly RequestRule[];
  /** A strict object of the fields. */
  readonly schema: S;
}

/** A request that an endpoint takes. */
export type RequestOf<E extends Endpoint> = z.input<E["schema"]>;

type Shape<F extends Readonly<Record<string, Field>>> = { [K in keyof F]: F[K]["schema"] };

type Definition<F> = Omit<Endpoint, "fields" | "schema" | "hints" | "rules"> &
  Partial<Pick<Endpoint, "hints" | "rules">> & { readonly fields: F };

/** An endpoint with the schema that its fields make. */
export function defineEndpoint<F extends Readonly<Record<string, Field>>>(
  definition: Definition<F>,
): Endpoint<z.ZodObject<Shape<F>, z.core.$strict>> {
  const shape = Object.fromEntries(
    Object.entries(definition.fields).map(([name, { schema }]) => [name, schema]),
  ) as Shape<F>;
  return Object.freeze({ hints: {}, rules: [], ...definition, schema: z.strictObject(shape) });
}
