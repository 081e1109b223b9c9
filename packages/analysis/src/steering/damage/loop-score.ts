import { deflateSync } from "node:zlib";
import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";

/** How far a text repeats itself. A number is null where the text is too short for it. */
export interface LoopScore {
  tokens: number;
  /** Distinct n-grams over all n-grams: 1 when none comes twice. Source: Li et al. 2016, "A Diversity-Promoting Objective Function". */
  distinct1: number | null;
  distinct2: number | null;
  distinct3: number | null;
  /** Bytes of UTF-8 over bytes of zlib: about 1 to 2 for short plain text. Source: Whisper refuses segments above 2.4. */
  compression: number | null;
  /** The longest run of tokens that stands twice without overlap, in tokens. */
  longestRepeat: number;
}

/** Above `compression`, or below `distinct2`, a text is a loop. */
export interface LoopLimits {
  compression: number;
  distinct2: number;
}

const loopLimits: LoopLimits = { compression: 2.4, distinct2: 0.5 };

const loopSchema = z.object({ text: z.string(), tokens: z.array(z.string()) });
const limitsSchema = z.object({
  score: z.looseObject({ compression: z.number().nullable(), distinct2: z.number().nullable() }),
  limits: z.strictObject({ compression: z.number(), distinct2: z.number() }),
});

/** Of a text and its tokens (any pieces of it: words do). Throws InvalidRequestError. */
export function loopScore(text: string, tokens: readonly string[]): LoopScore {
  checkOptions(loopSchema, { text, tokens }, "loopScore");
  return {
    tokens: tokens.length,
    distinct1: distinct(tokens, 1),
    distinct2: distinct(tokens, 2),
    distinct3: distinct(tokens, 3),
    compression: compressionRatio(text),
    longestRepeat: longestRepeat(tokens),
  };
}

/** Perplexity cannot tell: a text that repeats itself is easy to predict. Throws InvalidRequestError. */
export function isLoop(score: LoopScore, limits: LoopLimits = loopLimits): boolean {
  checkOptions(limitsSchema, { score, limits }, "isLoop");
  const { compression, distinct2 } = score;
  return (
    (compression !== null && compression > limits.compression) ||
    (distinct2 !== null && distinct2 < limits.distinct2)
  );
}

function distinct(tokens: readonly string[], n: number): number | null {
  const total = tokens.length - n + 1;
  if (total < 1) return null;
  const seen = new Set<string>();
  for (let i = 0; i < total; i++) seen.add(JSON.stringify(tokens.slice(i, i + n)));
  return seen.size / total;
}

function compressionRatio(text: string): number | null {
  const bytes = new TextEncoder().encode(text);
  return bytes.length === 0 ? null : bytes.length / deflateSync(bytes).length;
}

/** By the lengths of common runs that end at i and j, row by row: tokens² steps. */
function longestRepeat(tokens: readonly string[]): number {
  let longest = 0;
  let above = new Uint32Array(tokens.length + 1);
  for (let i = 1; i <= tokens.length; i++) {
    const row = new Uint32Array(tokens.length + 1);
    for (let j = i + 1; j <= tokens.length; j++) {
      if (tokens[i - 1] !== tokens[j - 1]) continue;
      row[j] = above[j - 1]! + 1;
      longest = Math.max(longest, Math.min(row[j]!, j - i));
    }
    above = row;
  }
  return longest;
}
