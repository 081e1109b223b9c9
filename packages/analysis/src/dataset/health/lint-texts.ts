import type { ColumnValue } from "../../shards/column-field.ts";
import type { RowSource } from "../row-source.ts";
import { eachExampleRow } from "../views/example-runs.ts";
import { noClasses, tooFew, type LabelledExamples } from "./label-classes.ts";
import type { LintFinding, LintOutcome } from "./lint-schema.ts";

/** A class, and what is not of it, must have this many texts. */
const leastTexts = 10;
/** Share of the other texts that may have a class's beginning or end before it counts as shared by all. */
const rare = 0.05;

/** What all texts of a class begin and end with. */
interface Affixes {
  prefix: string;
  suffix: string;
  texts: number;
}

/**
 * Whether all texts of a class share a beginning or an end that at most 5 % of the others have: a template of its own, which a
 * probe may learn instead. Reads the texts twice and keeps none.
 */
export async function lintTexts(source: RowSource, labelled: LabelledExamples): Promise<LintOutcome> {
  const none = noClasses(labelled);
  if (none !== undefined) return { notChecked: none };
  if (!source.columns.includes("text")) return { notChecked: "no column text" };
  const classes = new Map<ColumnValue, Affixes>();
  let texts = 0;
  for await (const { text, value } of eachText(source, labelled.label)) {
    texts++;
    const seen = classes.get(value);
    if (seen === undefined) classes.set(value, { prefix: text, suffix: text, texts: 1 });
    else {
      seen.prefix = commonStart(seen.prefix, text);
      seen.suffix = commonEnd(seen.suffix, text);
      seen.texts++;
    }
  }
  if (texts === 0) return { notChecked: "no example has its text" };
  const isLarge = (own: number): boolean => own >= leastTexts && texts - own >= leastTexts;
  const large = [...classes].filter(([, own]) => isLarge(own.texts));
  const candidates = large.flatMap(([value, { prefix, suffix, texts: own }]): Candidate[] => [
    { value, own, affix: prefix, at: "begin", others: 0 },
    { value, own, affix: suffix, at: "end", others: 0 },
  ]);
  const worth = candidates.filter(({ affix }) => affix !== "");
  if (worth.length > 0) {
    for await (const { text, value } of eachText(source, labelled.label)) {
      for (const candidate of worth) {
        if (candidate.value === value) continue;
        const has =
          candidate.at === "begin" ? text.startsWith(candidate.affix) : text.endsWith(candidate.affix);
        if (has) candidate.others++;
      }
    }
  }
  const shareOf = ({ others, own }: (typeof worth)[number]): number => others / (texts - own);
  const found = worth
    .filter((candidate) => shareOf(candidate) <= rare)
    .sort((a, b) => shareOf(a) - shareOf(b) || b.affix.length - a.affix.length);
  const [clearest] = found;
  if (clearest) return { findings: [findingOf(labelled, clearest, { texts, found })] };
  const few = labelled.classes.flatMap(([value]) => (isLarge(classes.get(value)?.texts ?? 0) ? [] : [value]));
  if (few.length === 0) return { findings: [] };
  return {
    notChecked: tooFew(labelled, few, `texts (fewer than ${leastTexts} of a value, or of the others)`),
  };
}

interface Candidate {
  value: ColumnValue;
  own: number;
  affix: string;
  at: string;
  others: number;
}

/** One finding a label: the class whose affix the fewest others have, and how many classes have such a one. */
function findingOf(
  { label, classes }: LabelledExamples,
  { value, own, affix, at, others }: Candidate,
  { texts, found }: { texts: number; found: readonly Candidate[] },
): LintFinding {
  const values = new Set(found.map((candidate) => candidate.value)).size;
  const more = values > 1 ? `; ${values} of the ${classes.length} values have such a text` : "";
  return {
    code: "uniform_texts",
    // A value among many may well be stated in the text; what sets two classes apart whole is what a probe will learn.
    severity: others === 0 && classes.length === 2 ? "error" : "warning",
    label,
    what: `all ${own} texts with ${label} = ${JSON.stringify(value)} ${at} with ${shown(affix, at)}, and ${others} of the ${texts - own} others do${more}`,
    numbers: {
      texts: own,
      others,
      shareOfOthers: others / (texts - own),
      threshold: rare,
      characters: affix.length,
      values,
    },
    advice: "Use the same templates for every label, or a probe may learn the template.",
  };
}

async function* eachText(
  source: RowSource,
  label: string,
): AsyncGenerator<{ text: string; value: ColumnValue }> {
  for await (const { row, start, values } of eachExampleRow(source, ["text", label])) {
    const [text, value] = values as [string | null, ColumnValue];
    if (row === start && text !== null && value !== null) yield { text, value };
  }
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  // Half of a surrogate pair is no shared character.
  if (/[\uD800-\uDBFF]/.test(a.charAt(length - 1))) length--;
  return a.slice(0, length);
}

function commonEnd(a: string, b: string): string {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length++;
  if (/[\uDC00-\uDFFF]/.test(a.charAt(a.length - length))) length--;
  return a.slice(a.length - length);
}

/** At most 40 characters of it: the part nearest to the rest of the text. */
function shown(affix: string, at: string): string {
  if (affix.length <= 40) return JSON.stringify(affix);
  return at === "begin"
    ? `"…${JSON.stringify(affix.slice(-40)).slice(1)}`
    : `${JSON.stringify(affix.slice(0, 40)).slice(0, -1)}…"`;
}
