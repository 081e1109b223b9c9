/** The same value, frozen with all that it holds: plain JSON. */
export function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  Object.values(value).forEach(deepFrozen);
  return Object.freeze(value);
}
