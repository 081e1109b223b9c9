/** A copy without the fields that are undefined: they count as not given. */
export function withoutUndefined<T extends object>(given: T | undefined): Partial<T> {
  const fields = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as Partial<T>;
}
