import * as z from "zod";

/** A request field: what it may be, for the check and in words for errors and docs, and where that is said. */
export interface Field<S extends z.ZodType = z.ZodType> {
  schema: S;
  /** Completes "allowed: …". */
  allowed: string;
  source: string;
}

export function field<S extends z.ZodType>(schema: S, allowed: string, source: string): Field<S> {
  return { schema, allowed, source };
}

/** `true or false`; null counts as left out. */
export function flag(source: string): Field<z.ZodOptional<z.ZodNullable<z.ZodBoolean>>> {
  return field(z.boolean().nullish(), "true or false", source);
}

/** `true or false`, and never null. */
export function plainFlag(source: string): Field<z.ZodOptional<z.ZodBoolean>> {
  return field(z.boolean().optional(), "true or false", source);
}

/** `a text`; null counts as left out. */
export function text(source: string): Field<z.ZodOptional<z.ZodNullable<z.ZodString>>> {
  return field(z.string().nullish(), "a text", source);
}

export function eachOnce(list: readonly unknown[]): boolean {
  return new Set(list).size === list.length;
}
