import { kindPlace } from "../../results/kind-order.ts";
import type { ComparedPart } from "./compared-part.ts";

/** Parts of two runs that answer each other, and those that stand in one run alone. */
export interface MatchedParts {
  pairs: [ComparedPart, ComparedPart][];
  onlyA: ComparedPart[];
  onlyB: ComparedPart[];
}

/**
 * Pairs of one kind: first those of the same file and subject, then of the same subject, of the same file, and last those that are the only ones left of their kind. A rule
 * decides only where it leaves no choice.
 */
export function matchParts(a: readonly ComparedPart[], b: readonly ComparedPart[]): MatchedParts {
  const left = { a: [...a], b: [...b] };
  const pairs: [ComparedPart, ComparedPart][] = [];
  const rules: ((part: ComparedPart) => string)[] = [
    ({ kind, about, file }) => JSON.stringify([kind, about, file]),
    ({ kind, about }) => JSON.stringify([kind, about]),
    ({ kind, file }) => JSON.stringify([kind, file]),
    ({ kind }) => kind,
  ];
  for (const key of rules) {
    for (const part of [...left.a]) {
      const alike = (other: ComparedPart): boolean => key(other) === key(part);
      const [match, ...others] = left.b.filter(alike);
      if (match === undefined || others.length > 0 || left.a.filter(alike).length > 1) continue;
      pairs.push([part, match]);
      left.a = left.a.filter((one) => one !== part);
      left.b = left.b.filter((one) => one !== match);
    }
  }
  pairs.sort(([one], [two]) => kindPlace(one.kind) - kindPlace(two.kind) || a.indexOf(one) - a.indexOf(two));
  return { pairs, onlyA: left.a, onlyB: left.b };
}
