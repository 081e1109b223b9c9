import { anyRule, checkOptions, signalRule, wholeRule } from "../check-options.ts";
import type { Capture, LogitLens, LogitLensOptions, LogitLensPrompt } from "@residua/lens";
import { likeliest } from "../likeliest.ts";
import type { Model } from "../model.ts";
import { distribution, divergence } from "./distribution.ts";
import { isCapture, type LensRows, rowsOfCapture, rowsOfPrompt } from "./lens-rows.ts";
import { type LensNumbers, readableLens } from "./readable-lens.ts";
import { optionError } from "../option-error.ts";
import { readPosition } from "./read-position.ts";
import { takeTurn } from "./turn.ts";

/** Scores (rows × vocabulary) that are held at once. */
const mostScores = 8e6;

/** Rows of the stream read by the final norm and the unembedding, as if theirs were the last layer. */
export async function logitLens(
  model: Model,
  { id, checkpoint }: { readonly id: string; readonly checkpoint: string },
  of: Capture | LogitLensPrompt,
  options: LogitLensOptions,
): Promise<LogitLens> {
  const { vocabSize, layers: depth } = model.config;
  const rules = { layers: anyRule, positions: anyRule, top: wholeRule(1, vocabSize), signal: signalRule };
  const { layers: asked, positions: places, top = 10, signal } = checkOptions(options, rules);
  const layers = readLayers(asked, depth);
  const rows = isCapture(of)
    ? rowsOfCapture(model, of, { layers, checkpoint })
    : await rowsOfPrompt(model, of, { layers, signal });
  const positions = readPositions(places, rows.positions);
  const cells = rows.layers.length * positions.length;
  const numbers: LensNumbers = {
    topIds: new Int32Array(cells * top),
    topLogprobs: new Float64Array(cells * top),
    entropy: new Float64Array(cells),
    kl: new Float64Array(cells),
  };
  const each = Math.max(1, Math.floor(mostScores / ((rows.layers.length + 1) * vocabSize)));
  for (let from = 0; from < positions.length; from += each) {
    await takeTurn(signal);
    const part = { from, to: Math.min(from + each, positions.length) };
    readPart(model, rows, { positions, top, ...part }, numbers);
  }
  return readableLens(model, { id, rows, positions, top, numbers });
}

/** Fills in the numbers of the positions at places `from` to `to`: all their rows go through the unembedding at once. */
function readPart(
  { config, readOut }: Model,
  rows: LensRows,
  part: { positions: readonly number[]; top: number; from: number; to: number },
  { topIds, topLogprobs, entropy, kl }: LensNumbers,
): void {
  const { positions, top, from, to } = part;
  const { hiddenSize, vocabSize, layers: depth } = config;
  // The last layer's row first: it gives the final distribution.
  const order = [depth - 1, ...rows.layers];
  const stream = new Float32Array((to - from) * order.length * hiddenSize);
  for (let place = from; place < to; place++) {
    order.forEach((layer, i) =>
      stream.set(rows.row(layer, positions[place]!), ((place - from) * order.length + i) * hiddenSize),
    );
  }
  const scores = readOut.scores(stream);
  const scoresOf = (place: number, i: number) => {
    const at = ((place - from) * order.length + i) * vocabSize;
    return scores.subarray(at, at + vocabSize);
  };
  const probabilities = new Float64Array(vocabSize);
  for (let place = from; place < to; place++) {
    const final = distribution(scoresOf(place, 0), probabilities);
    rows.layers.forEach((_, l) => {
      const one = distribution(scoresOf(place, l + 1));
      const at = l * positions.length + place;
      entropy[at] = one.entropy;
      kl[at] = divergence(final, probabilities, one);
      likeliest(one.scores, top).forEach((id, rank) => {
        topIds[at * top + rank] = id;
        topLogprobs[at * top + rank] = one.scores[id]! - one.normaliser;
      });
    });
  }
}

function readLayers(asked: readonly number[] | undefined, depth: number): readonly number[] | undefined {
  if (asked === undefined) return undefined;
  const right =
    Array.isArray(asked) &&
    asked.length > 0 &&
    asked.every((layer) => Number.isInteger(layer) && layer >= -1 && layer < depth) &&
    new Set(asked).size === asked.length;
  if (right) return [...(asked as readonly number[])].sort((a, b) => a - b);
  throw optionError(
    "layers",
    Array.isArray(asked) ? `[${asked.slice(0, 8).join(", ")}]` : asked,
    `layers from -1 (the token embeddings) to ${depth - 1}, each once`,
  );
}

/** Absolute positions; a negative one counts from the end. */
function readPositions(asked: readonly number[] | undefined, count: number): readonly number[] {
  if (asked === undefined) return Array.from({ length: count }, (_, position) => position);
  if (!Array.isArray(asked) || asked.length === 0)
    throw optionError("positions", asked, "a list of at least one position");
  return asked.map((position: unknown) => readPosition(position, count));
}
