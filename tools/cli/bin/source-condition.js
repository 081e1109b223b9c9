/** A module hook that makes workspace packages resolve to their sources, as `--conditions=@residua/source` would. */
export function resolve(specifier, context, nextResolve) {
  return nextResolve(specifier, { ...context, conditions: ["@residua/source", ...context.conditions] });
}
