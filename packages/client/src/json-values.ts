/** An object that is no list, as JSON has it. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value when it is an object, else one without fields. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** The value when it is a text. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
