import { resultSchemaVersion, type TokenScores } from "@residua/analysis";
import { type Capture, CaptureLimitError } from "@residua/lens";
import { ExplorerError } from "../explorer-error.ts";
import type { LayerScorer, Scorer } from "../scorers/scorer.ts";
import type { ModelWork } from "./model-work.ts";

export interface ScoreAsked {
  readonly scorer: Scorer;
  readonly layer: number;
  readonly prompt: string;
  /** 1 captures the prompt alone. */
  readonly maxTokens: number;
}

/** A prompt's tokens and what the scorer says of each, layer by layer. */
export interface ScoredPrompt {
  readonly scores: TokenScores;
  /** The layer that was asked for. */
  readonly layer: number;
  /** At that layer: where the scorer and its threshold come from. */
  readonly origin: string;
  readonly thresholdIs: string;
  /** What the reader should know beside. */
  readonly notes: readonly string[];
}

/** Captures the prompt at all layers that the scorer has, or at one where all are over the server's limit, and scores each token. */
export async function scorePrompt(
  work: ModelWork,
  asked: ScoreAsked,
  signal: AbortSignal,
): Promise<ScoredPrompt> {
  const { scorer, layer, prompt, maxTokens } = asked;
  const notes: string[] = [];
  const chosen = await scorer.at(layer);
  refuseOtherModel(chosen, scorer.name, work.model);
  const capture = await work
    .capture({ prompt, maxTokens, layers: scorer.layers }, signal)
    .catch(async (error: unknown) => {
      if (!(error instanceof CaptureLimitError) || scorer.layers.length === 1) throw error;
      notes.push(
        `Only layer ${layer} was captured: all ${scorer.layers.length} layers are over the limit (${error.message}).`,
      );
      return work.capture({ prompt, maxTokens, layers: [layer] }, signal);
    });
  const layers = scorer.layers.filter((one) => capture.layers.includes(one));
  const scored: TokenScores["layers"] = [];
  for (const one of layers) scored.push(scoreLayer(await scorer.at(one), capture));
  const bos = capture.bosTokenId;
  return {
    scores: {
      schemaVersion: resultSchemaVersion,
      kind: "token-scores",
      model: capture.model,
      score: scorer.measures,
      above: scorer.above,
      below: scorer.below,
      tokens: capture.tokens.map(({ id, text, role }, position) => ({
        position,
        id,
        text: text ?? (id !== null && id === bos ? "BOS" : null),
        role,
      })),
      layers: scored,
    },
    layer,
    origin: chosen.origin,
    thresholdIs: chosen.thresholdIs,
    notes,
  };
}

/** The last token has no row: nothing was computed after it. */
function scoreLayer(at: LayerScorer, capture: Capture): TokenScores["layers"][number] {
  refuseOtherWidth(at, capture.hiddenSize);
  const own = Array.from(at.score(capture.layer(at.layer)));
  const threshold = at.threshold ?? own.reduce((sum, score) => sum + score, 0) / own.length;
  const scores = capture.tokens.map((_, position) => own[position] ?? null);
  return { layer: at.layer, threshold, scores };
}

/** Numbers of another model's stream would be scored without a complaint. */
export function refuseOtherModel(at: LayerScorer, name: string, model: string): void {
  if (at.model === null || at.model === model) return;
  throw new ExplorerError(
    "wrong_model",
    `The ${name} was made on ${at.model}, and the server answers as ${model}: start residua explore with --model and the model of the run.`,
    { scorer: at.model, model },
  );
}

function refuseOtherWidth(at: LayerScorer, hiddenSize: number): void {
  if (at.width === hiddenSize) return;
  throw new ExplorerError(
    "wrong_model",
    `At layer ${at.layer} it reads rows of ${at.width} numbers, and the server's have ${hiddenSize}: it is another model; start residua explore with --model and the model of the run.`,
    { width: at.width, hiddenSize },
  );
}
