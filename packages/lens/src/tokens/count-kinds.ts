import type { CapturedToken } from "../lens-types.ts";

type Pair = readonly [CapturedToken, CapturedToken];

/**
 * How many kinds of tokens have to be alike for the two tokens of each pair to be alike: pairs that share a token are of one
 * kind. Counted by ids, and by texts where ids are not known; the larger number, since one token may be in both.
 */
export function countKinds(pairs: readonly Pair[]): number {
  const byId: [unknown, unknown][] = [];
  const byText: [unknown, unknown][] = [];
  for (const [a, b] of pairs) {
    if (a.id !== null && b.id !== null) byId.push([a.id, b.id]);
    else if (a.text !== null && b.text !== null) byText.push([a.text, b.text]);
  }
  return Math.max(kinds(byId), kinds(byText));
}

function kinds(pairs: readonly [unknown, unknown][]): number {
  const kindOf = new Map<unknown, Set<unknown>>();
  for (const [a, b] of pairs) {
    if (a === b) continue;
    const both = new Set([a, b, ...(kindOf.get(a) ?? []), ...(kindOf.get(b) ?? [])]);
    for (const member of both) kindOf.set(member, both);
  }
  return new Set(kindOf.values()).size;
}
