/** A short rendering of a value for an error: lists by their length, long texts too. */
export function shown(value: unknown): string {
  if (typeof value === "string")
    return value.length <= 40 ? JSON.stringify(value) : `a text of ${value.length} characters`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value !== "object" || value === null)
    return typeof value === "function" ? "a function" : String(value);
  const { name = "" } = (value as { constructor?: { name?: unknown } }).constructor ?? {};
  return typeof name === "string" && name !== "" && name !== "Object" ? `a value of ${name}` : "an object";
}

/** What a value is, where the value itself is of no use. */
export function typeText(value: unknown): string {
  return value === null ? "null" : `a value of type ${typeof value}`;
}
