import { isLoop, loopScore } from "@residua/analysis";
import { type Direction, type SteeredCompletion, steeringVector } from "@residua/lens";
import { ExplorerError } from "../explorer-error.ts";
import { vectorNorm } from "../scorers/project-rows.ts";
import type { Scorer } from "../scorers/scorer.ts";
import type { ModelWork } from "./model-work.ts";
import { refuseOtherModel } from "./score-prompt.ts";
import { type SteeringHint, steeringHints } from "./steering-hints.ts";

/** What a scale counts: the vector as it is saved, or the length of the stream's own row at each token. */
export const steeringUnits = ["vector", "stream"] as const;
export type SteeringUnit = (typeof steeringUnits)[number];

export interface SteerAsked {
  readonly scorer: Scorer;
  readonly layer: number;
  readonly prompt: string;
  readonly scale: number;
  readonly unit: SteeringUnit;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly seed: number;
}

/** A continuation and whether it repeats itself. */
export interface Continuation {
  readonly text: string;
  readonly tokens: number;
  readonly loops: boolean;
  /** The longest run of tokens that stands twice. */
  readonly longestRepeat: number;
  readonly finishReason: string | null;
}

/** A prompt continued twice on one engine: with the vector at scale 0, and at the scale asked for. */
export interface SteeredPrompt {
  readonly plain: Continuation;
  readonly steered: Continuation;
  readonly direction: Direction;
  readonly origin: string;
  /** Length of what is added over the length of the stream's row at the prompt's last token; null where no capture was to be had. */
  readonly share: number | null;
  /** The same at scale 1. */
  readonly unitShare: number | null;
  readonly hints: readonly SteeringHint[];
}

/** Both texts are asked at once; the plain one is asked only once for all scales. */
export async function steerPrompt(
  work: ModelWork,
  asked: SteerAsked,
  signal: AbortSignal,
): Promise<SteeredPrompt> {
  const { scorer, layer, prompt, scale, unit, maxTokens, temperature, seed } = asked;
  const at = await scorer.at(layer);
  refuseOtherModel(at, scorer.name, work.model);
  const { direction } = at;
  if (typeof direction === "string") {
    throw new ExplorerError("no_such_scorer", `${direction} Choose another one to steer with.`, {
      scorer: scorer.id,
    });
  }
  const text = async (times: number) =>
    continuationOf(
      await work.text(
        {
          prompt,
          maxTokens,
          temperature,
          seed,
          vectorKey: JSON.stringify([scorer.id, layer, unit]),
          vector: steeringVector({ rows: direction, scale: times, normMatch: unit === "stream" }),
        },
        signal,
      ),
    );
  const [plain, steered, unitShare] = await Promise.all([
    text(0),
    text(scale),
    shareOf(work, asked, direction, signal),
  ]);
  const share = unitShare === null ? null : Math.abs(scale) * unitShare;
  return {
    plain,
    steered,
    direction,
    origin: at.origin,
    share,
    unitShare,
    hints: steeringHints({ plain, steered, scale, share }),
  };
}

async function shareOf(
  work: ModelWork,
  { layer, prompt, unit }: SteerAsked,
  direction: Direction,
  signal: AbortSignal,
): Promise<number | null> {
  if (unit === "stream") return 1;
  const capture = await work
    .capture({ prompt, maxTokens: 1, layers: [layer] }, signal)
    .catch((error: unknown) => {
      // The texts say what is wrong with the server; a capture alone may be over its limit.
      if (signal.aborted) throw error;
      return null;
    });
  if (capture === null) return null;
  const stream = vectorNorm(capture.row({ layer, position: -1 }));
  return stream === 0 ? null : vectorNorm(direction.vector) / stream;
}

function continuationOf(completion: SteeredCompletion): Continuation {
  const [choice] = completion.choices;
  const text = choice?.text ?? "";
  const tokens = choice?.logprobs?.tokens ?? text.split(/\s+/).filter((word) => word !== "");
  const score = loopScore(text, tokens);
  return {
    text,
    tokens: completion.usage?.completion_tokens ?? tokens.length,
    loops: isLoop(score),
    longestRepeat: score.longestRepeat,
    finishReason: choice?.finish_reason ?? null,
  };
}
