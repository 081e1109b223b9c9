import type { ColumnValue } from "../../shards/column-field.ts";
import type { RowSource } from "../row-source.ts";
import { eachExampleRow } from "../views/example-runs.ts";
import { noClasses, type LabelledExamples } from "./label-classes.ts";
import type { LintFinding, LintOutcome } from "./lint-schema.ts";

/** A class, and what is not of it, must have this many groups: by chance, words of a few groups tell any label of groups. */
const leastGroups = 10;
/** Share of a class that must have the word, and of the others that may have it. */
const most = 0.95;
const rare = 0.05;

/** A word or a punctuation mark of a text, in small letters; or the id of a prompt's token. */
type Word = string | number;

interface Class {
  texts: number;
  groups: Set<ColumnValue>;
}

/**
 * Whether one word or token, wherever it stands in the prompt, tells a class: at least 95 % of the class have it and at most 5 % of the
 * others. Reads texts and token ids twice; of words it keeps those of one text in twenty, of which each candidate must be in one.
 */
export async function lintWords(source: RowSource, labelled: LabelledExamples): Promise<LintOutcome> {
  const none = noClasses(labelled);
  if (none !== undefined) return { notChecked: none };
  if (!source.columns.includes("text") && !source.columns.includes("token_ids"))
    return { notChecked: "no column text or token_ids" };
  const sizes = new Map(labelled.classes);
  const classes = new Map<ColumnValue, Class>();
  const candidates = new Map<ColumnValue, Map<Word, Map<ColumnValue, number>>>();
  for await (const { words, value, group } of eachPrompt(source, labelled.label)) {
    const own = classes.get(value) ?? { texts: 0, groups: new Set() };
    classes.set(value, own);
    own.groups.add(group);
    // What 95 % of a class have is in one of any 5 % and one more.
    if (own.texts++ > (1 - most) * (sizes.get(value) ?? 0)) continue;
    const ofClass = candidates.get(value) ?? new Map<Word, Map<ColumnValue, number>>();
    candidates.set(value, ofClass);
    for (const word of words) ofClass.set(word, new Map());
  }
  if (classes.size < 2) return { notChecked: "fewer than two values of examples with a text or token ids" };
  const large = [...classes].filter(
    ([value, { groups }]) => groups.size >= leastGroups && others(classes, value).groups >= leastGroups,
  );
  if (large.length === 0)
    return { notChecked: `fewer than ${leastGroups} groups with a value, or with the others` };
  const counts = new Map<Word, Map<ColumnValue, number>>(
    large.flatMap(([value]) => [...(candidates.get(value) ?? [])]),
  );
  for await (const { words, value } of eachPrompt(source, labelled.label)) {
    for (const word of words) {
      const count = counts.get(word);
      if (count !== undefined) count.set(value, (count.get(value) ?? 0) + 1);
    }
  }
  const found = large.flatMap(([value, own]) =>
    [...counts].flatMap(([word, count]): Telling[] => {
      const rest = others(classes, value);
      const has = count.get(value) ?? 0;
      const othersHave = [...count.values()].reduce((sum, one) => sum + one, 0) - has;
      const isTelling = has >= most * own.texts && othersHave <= rare * rest.texts;
      return isTelling ? [{ word, value, has, texts: own.texts, othersHave, others: rest.texts }] : [];
    }),
  );
  found.sort((a, b) => difference(b) - difference(a) || Number(isToken(a)) - Number(isToken(b)));
  const [clearest] = found;
  if (clearest === undefined) return { findings: [] };
  const name = typeof clearest.word === "number" ? await tokenName(source, clearest.word) : clearest.word;
  return { findings: [findingOf(labelled, clearest, { name, words: found.length })] };
}

interface Telling {
  word: Word;
  value: ColumnValue;
  has: number;
  texts: number;
  othersHave: number;
  others: number;
}

const difference = ({ has, texts, othersHave, others }: Telling): number => has / texts - othersHave / others;
const isToken = ({ word }: Telling): boolean => typeof word === "number";

function findingOf(
  { label, classes }: LabelledExamples,
  { word, value, has, texts, othersHave, others }: Telling,
  { name, words }: { name: string | null; words: number },
): LintFinding {
  const share = has / texts;
  const shareOfOthers = othersHave / others;
  const what = typeof word === "number" ? `the token ${word}` : "the word";
  const named = name === null ? what : `${what} ${JSON.stringify(name)}`;
  return {
    code: "word_tells_label",
    // A value among many may well be stated in the text.
    severity: share === 1 && shareOfOthers === 0 && classes.length === 2 ? "error" : "warning",
    label,
    what: `${named} is in ${has} of the ${texts} prompts with ${label} = ${JSON.stringify(value)}, and in ${othersHave} of the ${others} others`,
    numbers: {
      ...{ share, shareOfOthers, threshold: most, thresholdOfOthers: rare, texts, others, words },
      ...(typeof word === "number" && { tokenId: word }),
    },
    advice:
      "A probe may read the word and not what is meant: write texts of each label with the word and without it, or keep such texts for the test.",
  };
}

function others(
  classes: ReadonlyMap<ColumnValue, Class>,
  value: ColumnValue,
): { texts: number; groups: number } {
  const rest = [...classes].filter(([other]) => other !== value).map(([, one]) => one);
  return {
    texts: rest.reduce((sum, { texts }) => sum + texts, 0),
    groups: new Set(rest.flatMap(({ groups }) => [...groups])).size,
  };
}

async function* eachPrompt(
  source: RowSource,
  label: string,
): AsyncGenerator<{ words: Set<Word>; value: ColumnValue; group: ColumnValue }> {
  const present = ["text", "token_ids", "prompt_length"].filter((name) => source.columns.includes(name));
  for await (const { row, start, values } of eachExampleRow(source, ["group", label, ...present])) {
    const [group, value] = values as [ColumnValue, ColumnValue];
    if (row !== start || value === null) continue;
    const of = (name: string): ColumnValue =>
      present.includes(name) ? (values[present.indexOf(name) + 2] ?? null) : null;
    const text = of("text") as string | null;
    const ids = of("token_ids") as readonly number[] | null;
    if (text === null && ids === null) continue;
    const length = of("prompt_length") as number | null;
    yield {
      words: new Set([...wordsOf(text ?? ""), ...(ids ?? []).slice(0, length ?? undefined)]),
      value,
      group,
    };
  }
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu) ?? [];
}

/** Its text, where a row has it. */
async function tokenName(source: RowSource, id: number): Promise<string | null> {
  if (!source.columns.includes("token_id") || !source.columns.includes("token")) return null;
  for await (const { values } of eachExampleRow(source, ["token_id", "token"]))
    if (values[0] === id && values[1] !== null) return String(values[1]);
  return null;
}
