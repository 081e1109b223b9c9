import type { FieldPath } from "./lens-profile.ts";

/** A body with a value at a path; objects on the way are copied, others replaced. The body itself is left as it was. */
export function withField(body: object, [name = "", ...rest]: FieldPath, value: unknown): object {
  const inside = (body as Record<string, unknown>)[name];
  const inner = typeof inside === "object" && inside !== null ? inside : {};
  return { ...body, [name]: rest.length === 0 ? value : withField(inner, rest, value) };
}

/** The value at a path of a body; undefined where there is none. */
export function fieldAt(body: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], body);
}

/** A body without what stands at a path, or the outermost object that then would be empty. */
export function withoutField(body: object, [name = "", ...rest]: FieldPath): object {
  const { [name]: inside, ...others } = body as Record<string, unknown>;
  if (rest.length === 0 || typeof inside !== "object" || inside === null) return others;
  const inner = withoutField(inside, rest);
  return Object.keys(inner).length === 0 ? others : { ...others, [name]: inner };
}
