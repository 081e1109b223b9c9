import type { StoredArray } from "../arrays/stored-array.ts";
import { FormatError } from "../format-error.ts";

/** Which tokens' rows are taken of a batch. */
export interface TokenChoice {
  /** `last`: of each example the last token that is not padding; `all`: every one that is not, example after example. */
  readonly tokens: "last" | "all";
  /** [examples, tokens], 1 for a token and 0 for padding, as the tokenizer gave it. Needed for more than one example. */
  readonly attentionMask?: StoredArray;
}

/**
 * Numbers of the chosen rows, example after example (row = example · tokens + token). Padding on either side is left out:
 * index -1 of a padded batch is padding in some example (C21). Errors `format_invalid`, `format_missing`.
 */
export function chosenTokens(
  { tokens: which, attentionMask }: TokenChoice,
  examples: number,
  tokens: number,
): number[] {
  if (attentionMask === undefined && examples > 1) {
    throw new FormatError(
      "format_missing",
      `${examples} examples of ${tokens} tokens and no attentionMask: which rows are padding cannot be told`,
    );
  }
  const isToken = attentionMask === undefined ? () => true : maskReader(attentionMask, examples, tokens);
  const chosen: number[] = [];
  for (let example = 0; example < examples; example++) {
    const rows = Array.from({ length: tokens }, (_, token) => example * tokens + token).filter(isToken);
    const first = rows[0];
    const last = rows.at(-1);
    if (first === undefined || last === undefined) {
      throw new FormatError("format_invalid", `example ${example} has no token that is not padding`);
    }
    if (last - first + 1 !== rows.length) {
      throw new FormatError("format_invalid", `example ${example} has padding between its tokens`);
    }
    if (which === "last") chosen.push(last);
    else chosen.push(...rows);
  }
  return chosen;
}

function maskReader({ dtype, shape, bytes }: StoredArray, examples: number, tokens: number) {
  const size = { int64: 8, int32: 4, uint8: 1, bool: 1 }[dtype as string];
  if (size === undefined || shape.join() !== [examples, tokens].join()) {
    throw new FormatError(
      "format_invalid",
      `attentionMask is ${dtype} [${shape.join(", ")}]; expected int64 [${examples}, ${tokens}]`,
    );
  }
  return (row: number) => {
    const value = bytes.subarray(row * size, (row + 1) * size);
    const odd = value.findIndex((byte, i) => byte > (i === 0 ? 1 : 0));
    if (odd >= 0)
      throw new FormatError("format_invalid", `attentionMask has a value other than 0 and 1 at ${row}`);
    return value[0] === 1;
  };
}
