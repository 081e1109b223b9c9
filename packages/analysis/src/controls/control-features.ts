import { createRandom } from "../statistics/random.ts";
import type { RowTokens } from "./read-tokens.ts";

/** Numbers of a control in place of a layer's; or why there are none. */
export type ControlFeatures =
  { values: Float32Array<ArrayBuffer>; width: number; how: string } | { reason: string };

/**
 * Columns of a bag of tokens: as many as `numbers` allow, at least `few` (within `memory`), at most `columns`. A shared column hides the token
 * that tells the label among others.
 */
const bag = { few: 1024, columns: 32_768, numbers: 1e7, memory: 6e7 };

/** Lengths and their squares: of what each row has read, and of its whole prompt where that is another number. */
export function lengthFeatures({ promptLengths, readLengths }: RowTokens): ControlFeatures {
  if (readLengths.includes(null))
    return { reason: "not every row has a position, a prompt_length or token_ids, so lengths are not known" };
  const read = readLengths as readonly number[];
  const prompt = promptLengths.includes(null) ? read : (promptLengths as readonly number[]);
  const differ = prompt.some((length, row) => length !== read[row]);
  const columns = differ ? [read, prompt] : [read];
  const values = columns.flatMap((lengths) => [lengths, lengths.map((length) => length ** 2)]);
  if (values.every((column) => column.every((value) => value === column[0])))
    return { reason: `every row has read ${read[0]} tokens` };
  return {
    ...interleaved(values),
    how: differ
      ? "tokens read, tokens of the prompt, and their squares"
      : "tokens read (those of the prompt) and their square",
  };
}

/** How often each token id is among those that a row has read, or each word in its prompt where ids are not known; they share columns where there are too many. */
export function bagFeatures({ read, words }: RowTokens): ControlFeatures {
  if (!read.includes(null)) return bagOf(read as readonly (readonly number[])[], "tokens read", "ids");
  if (words.includes(null)) return { reason: "the dataset has neither token_ids nor text for every row" };
  const numbers = new Map<string, number>();
  const numbered = (words as readonly (readonly string[])[]).map((own) =>
    own.map((word) => {
      const known = numbers.get(word) ?? numbers.size;
      numbers.set(word, known);
      return known;
    }),
  );
  return bagOf(numbered, "words of the prompt", "words");
}

function bagOf(rows: readonly (readonly number[])[], what: string, unit: string): ControlFeatures {
  const ids = [...new Set(rows.flat())].sort((a, b) => a - b);
  const within = (numbers: number) => Math.floor(numbers / rows.length);
  const few = Math.max(16, Math.min(bag.few, within(bag.memory)));
  const buckets = Math.max(few, Math.min(bag.columns, within(bag.numbers)));
  const place = new Map(ids.map((id, i) => [id, ids.length <= buckets ? i : bucketOf(id, buckets)]));
  const width = Math.min(ids.length, buckets);
  const counts = new Float32Array(rows.length * width);
  rows.forEach((own, row) => {
    for (const id of own) counts[row * width + place.get(id)!]! += 1;
  });
  // A token that every row has equally often (the first one, say) tells nothing.
  const varying = Array.from({ length: width }, (_, j) => j).filter((j) =>
    rows.some((_, row) => counts[row * width + j] !== counts[j]),
  );
  if (varying.length === 0) return { reason: `every row has the same ${what}` };
  const values = new Float32Array(rows.length * varying.length);
  rows.forEach((_, row) => {
    varying.forEach((j, k) => (values[row * varying.length + k] = counts[row * width + j]!));
  });
  const hashed = ids.length <= buckets ? "" : ` hashed to ${buckets} columns`;
  return { values, width: varying.length, how: `counts of the ${what} (${ids.length} ${unit}${hashed})` };
}

/** Gaussian numbers that know nothing of the rows, as many as a layer has. */
export function randomFeatures(
  rows: number,
  width: number,
  seed: number,
  draw: number,
): Float32Array<ArrayBuffer> {
  const random = createRandom(seed, `random features ${draw}`);
  const values = new Float32Array(rows * width);
  for (let at = 0; at < values.length; at++) values[at] = random.gaussian();
  return values;
}

/** Fibonacci hashing. */
function bucketOf(id: number, buckets: number): number {
  return (Math.imul(id, 0x9e3779b1) >>> 0) % buckets;
}

function interleaved(columns: readonly (readonly number[])[]): {
  values: Float32Array<ArrayBuffer>;
  width: number;
} {
  const width = columns.length;
  const values = new Float32Array(columns[0]!.length * width);
  columns.forEach((column, j) => column.forEach((value, row) => (values[row * width + j] = value)));
  return { values, width };
}
