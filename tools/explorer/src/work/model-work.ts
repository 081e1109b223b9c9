import type { Capture, Lens, SteeredCompletion, SteeringVector } from "@residua/lens";
import { recent } from "./recent.ts";

/** The lens methods that the explorer uses. */
export type ExplorerLens = Pick<Lens, "capture" | "generate" | "describe">;

interface CaptureAsked {
  readonly prompt: string;
  readonly maxTokens: number;
  readonly layers: readonly number[];
}

interface TextAsked {
  readonly prompt: string;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly seed: number;
  /** Tells the vector apart from others: scorer, layer and unit. */
  readonly vectorKey: string;
  readonly vector: SteeringVector;
}

/** What the model is asked, the last few answers kept. */
export interface ModelWork {
  readonly model: string;
  readonly lens: ExplorerLens;
  /** A capture with these layers or more. Throws what `lens.capture` throws. */
  capture(asked: CaptureAsked, signal: AbortSignal): Promise<Capture>;
  /** A continuation. Throws what `lens.generate` throws. */
  text(asked: TextAsked, signal: AbortSignal): Promise<SteeredCompletion>;
}

export function modelWork(lens: ExplorerLens, model: string): ModelWork {
  const captures = recent<Capture>(4);
  const texts = recent<SteeredCompletion>(64);
  return {
    model,
    lens,
    async capture({ prompt, maxTokens, layers }, signal) {
      const key = JSON.stringify([prompt, maxTokens]);
      const before = captures.get(key);
      if (before !== undefined && layers.every((layer) => before.layers.includes(layer))) return before;
      const capture = await lens.capture(
        { model, prompt, layers: [...layers], max_tokens: maxTokens },
        { signal },
      );
      captures.set(key, capture);
      return capture;
    },
    async text({ prompt, maxTokens, temperature, seed, vectorKey, vector }, signal) {
      const key = JSON.stringify([prompt, maxTokens, temperature, seed, vectorKey, vector.scale]);
      const before = texts.get(key);
      if (before !== undefined) return before;
      const request = { model, prompt, max_tokens: maxTokens, temperature, seed, logprobs: 1 };
      const completion = await lens.generate({ ...request, steering: [vector] }, { signal });
      texts.set(key, completion);
      return completion;
    },
  };
}
