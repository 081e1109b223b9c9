/** A request without the fields that the profile does not know and the server does, and these alone. */
export function withoutExtraFields<T extends object>(
  request: T,
  names: readonly string[],
): { known: T; extra: Record<string, unknown> } {
  // What is no object is refused by the check of its fields.
  if (names.length === 0 || typeof request !== "object" || (request as T | null) === null)
    return { known: request, extra: {} };
  const fields = Object.entries(request as Record<string, unknown>);
  const isExtra = ([name]: [string, unknown]) => names.includes(name);
  return {
    known: Object.fromEntries(fields.filter((field) => !isExtra(field))) as T,
    extra: Object.fromEntries(fields.filter((field) => isExtra(field) && field[1] !== undefined)),
  };
}
