import type { ColumnValue } from "../../shards/column-field.ts";
import { TokenCells, type RowFacts } from "./example-facts.ts";
import { noClasses, type LabelledExamples } from "./label-classes.ts";
import type { LintFinding, LintOutcome } from "./lint-schema.ts";

/** Share of what is left to guess that the token must explain: for a warning, and for an error. */
const noticed = 0.5;
const plain = 0.9;

/**
 * Whether one token tells the label alone: the prompt's last token, or the row's own. Each unit is guessed to have the label that its
 * token has most often in the other groups (a token that they lack, or that ties, gives the most frequent label). Found when the
 * guesses close at least half of the gap between the most frequent label's share and 1, and by more than three standard
 * deviations of that share over groups.
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
  const looked = places.filter(([, cells]) => cells !== undefined && cells.cells.size > 0);
  if (looked.length === 0) return { notChecked: "no column token_id or token_ids" };
  const findings = looked.flatMap(([place, cells]): LintFinding[] => {
    const { accuracy, base, units, tokens } = guess(cells as TokenCells);
    if (base === 1) return [];
    const explained = (accuracy - base) / (1 - base);
    const deviation = Math.sqrt((base * (1 - base)) / facts.groups);
    const threshold = Math.max(base + noticed * (1 - base), base + 3 * deviation);
    if (accuracy < threshold) return [];
    return [
      {
        code: "label_is_token",
        severity: explained >= plain ? "error" : "warning",
        label: labelled.label,
        what: `${place} tells ${labelled.label}: guesses from the other groups' rows of that token are right in ${(100 * accuracy).toFixed(1)} %, the most frequent label in ${(100 * base).toFixed(1)} %`,
        numbers: { accuracy, base, threshold, units, tokens },
        advice:
          "A probe may read the token and not what is meant: choose rows at a token that all share, or vary the token within each label.",
      },
    ];
  });
  return { findings };
}

interface Guesses {
  accuracy: number;
  /** Share of the most frequent label. */
  base: number;
  units: number;
  tokens: number;
}

function guess({ cells }: TokenCells): Guesses {
  const byToken = new Map<number, Map<ColumnValue, number>>();
  const all = new Map<ColumnValue, number>();
  for (const { token, counts } of cells.values()) {
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
  for (const { token, counts } of cells.values()) {
    const others = [...(byToken.get(token) as Map<ColumnValue, number>)]
      .map(([value, count]) => [value, count - (counts.get(value) ?? 0)] as const)
      .sort((a, b) => b[1] - a[1]);
    const [first, second] = others;
    const decided = first !== undefined && first[1] > (second?.[1] ?? 0);
    right += counts.get(decided ? first[0] : frequent) ?? 0;
  }
  return { accuracy: right / units, base: most / units, units, tokens: byToken.size };
}
