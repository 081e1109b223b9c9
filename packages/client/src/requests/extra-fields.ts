/** A request without the fields that the profile does not know and the server does, and these alone. */
export function withoutExtraFields<T extends object>(
  request: T,
  names: readonly string[],
): { known: T; extra: Record<string, unknown> } {
  const extra: Record<string, unknown> = {};
  // What is no object is refused by the check of its fields.
  if (names.length === 0 || typeof request !== "object" || (request as T | null) === null)
    return { known: request, extra };
  const known = { ...request } as Record<string, unknown>;
  for (const name of names) {
    if (!Object.hasOwn(known, name)) continue;
    if (known[name] !== undefined) extra[name] = known[name];
    delete known[name];
  }
  return { known: known as T, extra };
}
