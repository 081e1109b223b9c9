import type { CapturedToken } from "../lens-types.ts";

type Pair = readonly [CapturedToken, CapturedToken];

/** What has to be true of tokens for the two of each pair to be alike. */
export interface Likeness {
  /** Sets of tokens that are alike: pairs that share a token are of one kind. */
  kinds: number;
  /** Pairs that do not follow from others: of three pairs of three tokens two. */
  pairs: number;
}

/** Counted by ids, and by texts where ids are not known; the larger numbers, since one token may be in both. Pairs of one token say nothing. */
export function likeness(pairs: readonly Pair[]): Likeness {
  const byId: [unknown, unknown][] = [];
  const byText: [unknown, unknown][] = [];
  for (const [a, b] of pairs) {
    if (a.id !== null && b.id !== null) byId.push([a.id, b.id]);
    else if (a.text !== null && b.text !== null) byText.push([a.text, b.text]);
  }
  const [ids, texts] = [count(byId), count(byText)];
  return { kinds: Math.max(ids.kinds, texts.kinds), pairs: Math.max(ids.pairs, texts.pairs) };
}

function count(pairs: readonly [unknown, unknown][]): Likeness {
  const kindOf = new Map<unknown, Set<unknown>>();
  for (const [a, b] of pairs) {
    if (a === b) continue;
    const both = new Set([a, b, ...(kindOf.get(a) ?? []), ...(kindOf.get(b) ?? [])]);
    for (const member of both) kindOf.set(member, both);
  }
  const kinds = new Set(kindOf.values()).size;
  return { kinds, pairs: kindOf.size - kinds };
}
