import type { RequestIssue } from "@residua/lens";

/** A fault for each id that an earlier entry of the list has, too. */
export function repeatedIds(ids: readonly string[], list: string): RequestIssue[] {
  const first = new Map<string, number>();
  return ids.flatMap((id, i) => {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, i);
    if (earlier === undefined) return [];
    const given = `${JSON.stringify(id)}, also the id of ${list}[${earlier}]`;
    return [{ field: `${list}[${i}].id`, given, allowed: "an id used once" }];
  });
}
