import type { ColumnValue } from "../../shards/column-field.ts";
import { TokenCells, type RowFacts } from "./example-facts.ts";
import { noClasses, type LabelledExamples } from "./label-classes.ts";
import type { LintOutcome } from "./lint-schema.ts";
import { chanceOfGuesses, leastChance, mostFrequent, type TokenCell } from "./token-evidence.ts";

/** Share of what is left to guess that the token must explain: for a warning, and for an error. */
const noticed = 0.5;
const plain = 0.9;
/** Chance below which guesses as good are no accident. */
const unlikely = 1e-3;

/**
 * Whether one token tells the label alone: the prompt's last token, or the row's own. Each unit is guessed to have the label that its
 * token has most often in the other groups (a token that they lack, or that ties, gives the most frequent label). Found when the
 * guesses close at least half of the gap between the most frequent label's share and 1, and when a token that says nothing would
 * guess as well with a chance below 0.001 (`chanceOfGuesses`). Not checked where the groups are too few to show that of any token.
 */
export function lintTokens(labelled: LabelledExamples, facts: RowFacts): LintOutcome {
  const none = noClasses(labelled);
  if (none !== undefined) return { notChecked: none };
  const last = new TokenCells();
  for (const { facts: example, value } of labelled.examples) {
    if (example.lastToken !== null) last.add(example.lastToken, example.group, value);
  }
  const rows = facts.rowTokens.get(labelled.label);
  const places: [string, TokenCells | undefined][] = [
    ["the prompt's last token", last],
    ["the row's token", facts.rowIsLast && last.cells.size > 0 ? undefined : rows],
  ];
  const looked = places.flatMap(([place, cells]) =>
    cells !== undefined && cells.cells.size > 0
      ? [lintPlace(labelled.label, place, [...cells.cells.values()])]
      : [],
  );
  if (looked.length === 0) return { notChecked: "no row has a token_id, no example token_ids" };
  const findings = looked.flatMap((outcome) => ("findings" in outcome ? outcome.findings : []));
  const reasons = looked.flatMap((outcome) => ("notChecked" in outcome ? [outcome.notChecked] : []));
  return findings.length === 0 && reasons.length > 0 ? { notChecked: reasons.join("; ") } : { findings };
}

function lintPlace(label: string, place: string, cells: readonly TokenCell[]): LintOutcome {
  const { accuracy, base, units, tokens } = guess(cells);
  if (base === 1) return { notChecked: `${place} is known for one value of ${label} only` };
  const groups = new Set(cells.map(({ group }) => group)).size;
  const threshold = base + noticed * (1 - base);
  const right = `guesses from the other groups' rows of that token are right in ${(100 * accuracy).toFixed(1)} %, the most frequent label in ${(100 * base).toFixed(1)} %`;
  if (accuracy < threshold) {
    if (leastChance(cells) < unlikely) return { findings: [] };
    return {
      notChecked: `${place}: ${groups} groups with this share of ${label} are too few to tell any token from chance`,
    };
  }
  const chance = chanceOfGuesses(cells);
  if (chance >= unlikely)
    return { notChecked: `${place}: ${right}, which ${groups} groups cannot tell from chance` };
  return {
    findings: [
      {
        code: "label_is_token",
        severity: (accuracy - base) / (1 - base) >= plain ? "error" : "warning",
        label,
        what: `${place} tells ${label}: ${right}`,
        numbers: { accuracy, base, threshold, chance, chanceThreshold: unlikely, units, groups, tokens },
        advice:
          "A probe may read the token and not what is meant: choose rows at a token that all share, or vary the token within each label.",
      },
    ],
  };
}

interface Guesses {
  accuracy: number;
  /** Share of the most frequent label. */
  base: number;
  units: number;
  tokens: number;
}

function guess(cells: readonly TokenCell[]): Guesses {
  const byToken = new Map<ColumnValue, Map<ColumnValue, number>>();
  const all = new Map<ColumnValue, number>();
  for (const { token, counts } of cells) {
    const ofToken = byToken.get(token) ?? new Map<ColumnValue, number>();
    byToken.set(token, ofToken);
    for (const [value, count] of counts) {
      ofToken.set(value, (ofToken.get(value) ?? 0) + count);
      all.set(value, (all.get(value) ?? 0) + count);
    }
  }
  const units = [...all.values()].reduce((sum, count) => sum + count, 0);
  const [frequent, most] = [...all].reduce((a, b) => (b[1] > a[1] ? b : a));
  let right = 0;
  for (const { token, counts } of cells) {
    const others = [...(byToken.get(token) as Map<ColumnValue, number>)].map(
      ([value, count]) => [value, count - (counts.get(value) ?? 0)] as const,
    );
    right += counts.get(mostFrequent(new Map(others)) ?? frequent) ?? 0;
  }
  return { accuracy: right / units, base: most / units, units, tokens: byToken.size };
}
