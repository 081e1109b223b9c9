import type { Tensor } from "../codec/tensor-codec.ts";
import type { CaptureCheck, CapturedToken } from "../lens-types.ts";
import { likeness } from "../tokens/likeness.ts";
import { tokensDiffer } from "../tokens/tokens-differ.ts";
import { sampleRows, type SampledRows } from "./sampled-rows.ts";
import { VerificationError } from "./verification-error.ts";

/**
 * Two rows are one computed twice where at least half of their numbers have |a − b| ≤ 0.02 · (|a − m| + |b − m|), m the
 * mean of all rows, without which strong steering makes rows alike. Measured on SmolLM2-135M in bfloat16, the median over
 * the numbers: rows of a real preempted request 0; the same row in another batch at most 0.015; the first row against
 * those of other tokens at least 0.48, but for reserved tokens that were never trained, 0.077. A median, since the few
 * huge numbers of some rows would drown the rest.
 */
const tolerance = 0.02;
/** Rows at so many pairs of other tokens, none of which follows from the rest, are evidence. */
const leastPairs = 5;

interface CapturedRows {
  layers: readonly number[];
  /** `[layers, positions, hiddenSize]`. */
  tensor: Tensor;
  tokens: readonly CapturedToken[];
  /** The lowest layer that the request changes: a strong vector makes rows alike. */
  changedFrom: number;
}

/**
 * A preempted request is run again from its first token, and its new rows stand behind those it had: from some position on
 * the rows are those from position 0 once more, and their number is right. Refused (`repeated_rows`) where the tokens do
 * not repeat as well. Where they do, rows of a right server may be equal, and nothing can be told from them.
 */
export function verifyRepeatedRows({ layers, tensor, tokens, changedFrom }: CapturedRows): CaptureCheck {
  const right = layers.filter((layer) => layer < changedFrom);
  if (right.length === 0) return check("unverified", "the request changes every layer of the capture");
  const rows = sampleRows(tensor, right.length);
  const alike = alikeRows(rows);
  if (alike === rows.positions && alike > 1)
    return check("unverified", "all rows are alike, so that none can be told from another");
  const prompt = tokens.filter(({ role }) => role === "prompt").length;
  const restart = findRestart(rows, alike, prompt);
  if (restart === undefined) return check("pass", "no run of rows comes twice");
  const { at, length } = restart;
  const other = Array.from({ length }, (_, i) => i).filter((i) => tokensDiffer(tokens[at + i], tokens[i]));
  const where = `rows ${at} to ${at + length - 1} are rows 0 to ${length - 1} once more`;
  if (other.length === 0) return check("unverified", `${where}, and their tokens are no others`);
  const pairs = other.flatMap((i): [CapturedToken, CapturedToken][] => {
    const [a, b] = [tokens[at + i], tokens[i]];
    return a && b ? [[a, b]] : [];
  });
  if (likeness(pairs).pairs < leastPairs)
    return check("unverified", `${where}, and too few of their tokens are others to tell`);
  throw new VerificationError(
    "repeated_rows",
    `${where}, and ${other.length} of their tokens are others. The server preempted the request, ran it again from its first token and put the new ` +
      "rows behind the old ones. Ask again with fewer requests at once, or give the server a larger KV cache (vllm:num_preemptions_total counts)",
    { from: at, rows: length, otherTokens: other.length },
  );
}

function check(status: CaptureCheck["status"], detail: string): CaptureCheck {
  return { code: "repeated_rows", status, detail };
}

/** How many rows from the first on are the first: more than one where a token stands many times, or a vector drowns the stream. */
function alikeRows(rows: SampledRows): number {
  let alike = 1;
  while (alike < rows.positions && near(rows, alike, 0)) alike++;
  return alike;
}

/**
 * The first position from which the rows are those from 0 on to the end of the capture, or to the next such position. A run that
 * holds all that came before it may be followed by the rows that follow them, if the prompt was among them: a request is
 * preempted while it generates.
 */
function findRestart(
  rows: SampledRows,
  alike: number,
  prompt: number,
): { at: number; length: number } | undefined {
  const { positions } = rows;
  const begins = (p: number) => p === positions || (near(rows, p, 0) && !near(rows, p - 1, 0));
  for (let at = alike + 1; at < positions; at++) {
    if (!begins(at)) continue;
    let length = 1;
    while (length < at && at + length < positions && near(rows, at + length, length)) length++;
    const whole = begins(at + length) || (length === at && length >= prompt);
    // A run as long as the rows that are alike shows nothing but that they are alike.
    if (whole && (length > alike || alike === 1)) return { at, length };
  }
  return undefined;
}

/** Whether two positions hold one row, at every layer. */
function near({ layers, width }: SampledRows, p: number, q: number): boolean {
  return layers.every(({ values, mean }) => {
    let close = 0;
    for (let i = 0; i < width; i++) {
      const a = values[p * width + i] ?? 0;
      const b = values[q * width + i] ?? 0;
      const m = mean[i] ?? 0;
      if (Math.abs(a - b) <= tolerance * (Math.abs(a - m) + Math.abs(b - m))) close++;
    }
    return 2 * close >= width;
  });
}
