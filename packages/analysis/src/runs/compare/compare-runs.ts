import type { Estimate } from "../../results/estimate.ts";
import type { Cells, Scalar } from "../../results/to-table.ts";
import type { Run } from "../read-run.ts";
import { RunError } from "../run-error.ts";
import { partsOf, type ComparedPart } from "./compared-part.ts";
import { difference, intervalsApart } from "./difference.ts";
import { matchParts } from "./match-parts.ts";

/** One number of both runs. */
export interface ComparedNumber {
  metric: string;
  /** Of what it is: layer, probe, scale, … */
  of: Record<string, Scalar>;
  a: Estimate | null;
  b: Estimate | null;
  /** a − b with its interval; null where the two cannot be compared, with the reason. */
  difference: Estimate | null;
  reason?: string;
  /** Whether their own intervals hold no number in common: a fact, whatever may be compared. */
  intervalsApart: boolean | null;
}

/** One result of both runs. */
export interface ComparedPair {
  kind: string;
  files: { a: string; b: string };
  /** What it is about, such as its label; of both, where they differ. */
  about: { a: string; b: string };
  /** Settings that differ; null where a run does not tell. */
  settings: { name: string; a: Scalar; b: Scalar }[];
  /** How many settings are equal. */
  sameSettings: number;
  /** Why differences of its numbers would tell nothing, in words; empty where they do. */
  obstacles: string[];
  numbers: ComparedNumber[];
}

/** Two runs side by side, as plain JSON. */
export interface RunComparison {
  format: "residua-comparison";
  schemaVersion: 1;
  a: string;
  b: string;
  pairs: ComparedPair[];
  /** What stands in one run alone. */
  onlyA: { kind: string; file: string; about: string }[];
  onlyB: { kind: string; file: string; about: string }[];
  /** The whole in a few sentences. */
  summary: string[];
}

/** Ranges of draws say how far single draws scatter, not how sure their mean is: no difference has an interval by them. */
const rangeOfDraws = /(^|\.)(shuffledLabels|randomDirection|controlTask|toFull|halves)$|^points\.score$/;

/**
 * Sets two runs side by side: which settings differ, and by how much the numbers do. Differences have intervals (see `difference`) where both numbers are of the same
 * data, model and seed; else the obstacle is told in words. Throws RunError (`nothing_to_compare`) where no result is of the same kind.
 */
export function compareRuns(a: Run, b: Run): RunComparison {
  return comparePaired(a, b).comparison;
}

/** As `compareRuns`, with the parts that were set side by side. */
export function comparePaired(
  a: Run,
  b: Run,
): { comparison: RunComparison; parts: [ComparedPart, ComparedPart][] } {
  const matched = matchParts(partsOf(a), partsOf(b));
  if (matched.pairs.length === 0) {
    const kinds = (parts: readonly ComparedPart[]): string =>
      [...new Set(parts.map(({ kind }) => kind))].join(", ") || "nothing";
    throw new RunError("nothing_to_compare", {
      path: `${a.name} and ${b.name}`,
      found: `nothing of the same kind in both: the first holds ${kinds(matched.onlyA)}, the second ${kinds(matched.onlyB)}`,
      advice: "Compare runs that measured the same",
    });
  }
  const pairs = matched.pairs.map(([one, two]) => comparePair(one, two));
  const brief = ({ kind, file, about }: ComparedPart) => ({ kind, file, about });
  const comparison: RunComparison = {
    format: "residua-comparison",
    schemaVersion: 1,
    a: a.name,
    b: b.name,
    pairs,
    onlyA: matched.onlyA.map(brief),
    onlyB: matched.onlyB.map(brief),
    summary: [],
  };
  comparison.summary = summarise(comparison);
  return { comparison, parts: matched.pairs };
}

function comparePair(a: ComparedPart, b: ComparedPart): ComparedPair {
  const names = [...new Set([...Object.keys(a.settings), ...Object.keys(b.settings)])];
  const differing = names.filter((name) => a.settings[name] !== b.settings[name]);
  const obstacles = a.rows.length + b.rows.length === 0 ? [] : obstaclesOf(a, b);
  return {
    kind: a.kind,
    files: { a: a.file, b: b.file },
    about: { a: a.about, b: b.about },
    settings: differing.map((name) => ({ name, a: a.settings[name] ?? null, b: b.settings[name] ?? null })),
    sameSettings: names.length - differing.length,
    obstacles,
    numbers: compareNumbers(a.rows, b.rows, obstacles),
  };
}

/** What number means the same in both only where these are the same. */
const meaning = ["label", "score", "task", "positive", "objective.metric", "choices", "target.tokens"];

function obstaclesOf(a: ComparedPart, b: ComparedPart): string[] {
  const found: string[] = [];
  const told = (what: string, one: string | null, two: string | null, why: string, unknown: string): void => {
    if (one === null || two === null) found.push(unknown);
    else if (one !== two) found.push(`other ${what} (${one} / ${two}): ${why}`);
  };
  for (const name of meaning) {
    const [one, two] = [a.settings[name], b.settings[name]];
    if (one !== two)
      found.push(
        `other ${name} (${String(one ?? "none")} / ${String(two ?? "none")}): the numbers measure other things`,
      );
  }
  told(
    "model",
    a.model,
    b.model,
    "layers, directions and scales of two models are not the same things",
    "the model is not recorded: whether both are of one is not known",
  );
  const counts = ["n", "groups"].filter((name) => a.settings[name] !== b.settings[name]);
  if (counts.length > 0)
    found.push(
      `other data (${counts.map((name) => `${name} ${String(a.settings[name])} / ${String(b.settings[name])}`).join(", ")}): a difference may come from the rows alone`,
    );
  else if (a.data === null || b.data === null)
    found.push(
      "which data they are of is not recorded: keep dataset.json in the run folder, or write results with --out",
    );
  else if (a.data !== b.data)
    found.push("other data (what was recorded of them differs): a difference may come from the rows alone");
  if (a.seed !== b.seed)
    found.push(
      `other seed (${String(a.seed ?? "none")} / ${String(b.seed ?? "none")}): folds, draws and controls are dealt otherwise, and a difference may be luck`,
    );
  return found;
}

/** Estimates by their place in the document; of documents that hold none, the plain numbers. */
function compareNumbers(
  a: readonly Cells[],
  b: readonly Cells[],
  obstacles: readonly string[],
): ComparedNumber[] {
  const estimated = [...a, ...b].some(isEstimate);
  const wanted = (rows: readonly Cells[]) => keyed(estimated ? rows.filter(isEstimate) : rows);
  const [first, second] = [wanted(a), wanted(b)];
  return [...new Set([...first.keys(), ...second.keys()])].map((key) => {
    const [one, two] = [first.get(key), second.get(key)];
    const { metric, of } = (one ?? two)!;
    const pair = { metric, of, a: one?.estimate ?? null, b: two?.estimate ?? null };
    if (!one || !two)
      return {
        ...pair,
        difference: null,
        reason: `only in ${one ? "the first" : "the second"}`,
        intervalsApart: null,
      };
    const apart = intervalsApart(one.estimate, two.estimate);
    if (obstacles.length > 0)
      return { ...pair, difference: null, reason: "see above", intervalsApart: apart };
    const found = difference(one.estimate, two.estimate);
    if (!rangeOfDraws.test(metric)) return { ...pair, difference: found, intervalsApart: apart };
    const reason = "its interval is a range of draws, not the uncertainty of a mean";
    return {
      ...pair,
      difference: { value: found.value, low: null, high: null, reason },
      intervalsApart: apart,
    };
  });
}

function isEstimate(row: Cells): boolean {
  return "low" in row;
}

interface Keyed {
  metric: string;
  of: Record<string, Scalar>;
  estimate: Estimate;
}

function keyed(rows: readonly Cells[]): Map<string, Keyed> {
  const map = new Map<string, Keyed>();
  for (const row of rows) {
    const { metric, value, low = null, high = null, n, groups, undefinedDraws: _draws, reason, ...of } = row;
    const estimate: Estimate = {
      value: value as number | null,
      low: low as number | null,
      high: high as number | null,
      ...(typeof n === "number" && { n }),
      ...(typeof groups === "number" && { groups }),
      ...(typeof reason === "string" && { reason }),
    };
    const key = JSON.stringify([metric, of]);
    // Of places that are not told apart, the order tells.
    for (let i = 0; ; i++) {
      const own = i === 0 ? key : `${key} ${i}`;
      if (map.has(own)) continue;
      map.set(own, { metric: String(metric), of, estimate });
      break;
    }
  }
  return map;
}

/** Whether a difference lies wholly on one side of 0. */
export function standsApart({ difference: found }: ComparedNumber): boolean {
  return found !== null && found.low !== null && found.high !== null && (found.low > 0 || found.high < 0);
}

function summarise({ pairs, onlyA, onlyB }: RunComparison): string[] {
  const numbers = pairs.flatMap((pair) => pair.numbers);
  const compared = numbers.filter(({ difference: found }) => found !== null && found.low !== null);
  const apart = compared.filter(standsApart);
  const differing = pairs.filter(({ settings }) => settings.length > 0).length;
  const blocked = pairs.filter(({ obstacles }) => obstacles.length > 0).length;
  const alone = onlyA.length + onlyB.length;
  return [
    `${pairs.length} ${pairs.length === 1 ? "document stands" : "documents stand"} in both runs; ${differing === 0 ? "no settings differ" : `settings differ in ${differing}`}.`,
    ...(compared.length > 0
      ? [
          `${compared.length} numbers can be compared: ${apart.length} differ by more than their uncertainty; by luck alone about ${Math.round(compared.length / 20)} would.`,
        ]
      : []),
    ...(blocked > 0
      ? [`The numbers of ${blocked} cannot be compared: other data, model or seed, or they are not recorded.`]
      : []),
    ...(alone > 0 ? [`${alone} ${alone === 1 ? "stands" : "stand"} in one run alone.`] : []),
  ];
}
