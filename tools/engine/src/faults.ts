import type { Capture } from "./residual-capture.ts";

/**
 * Known faults of other engines, for a server that is told to show them: nothing here is ever right. Each
 * is silent, as it is there.
 */
export interface EngineFaults {
  /**
   * Files the key-value rows of a steered request as if it were not steered, so that later requests of the
   * same prompt read them (vLLM with vllm-lens). Such a request itself reads nothing, as there.
   */
  readonly shareSteeredCache?: true;
  /** A capture reads the prefix cache, and lacks the rows of the tokens found there. */
  readonly captureGap?: true;
  /** A capture holds the output of the feed-forward part, plus steering, instead of the stream (fused blocks). */
  readonly halfResidual?: true;
  /** The norm of norm-matched steering is that of the feed-forward output (vllm-lens up to 1.1 on fused blocks). */
  readonly normMatchDelta?: true;
}

/** A capture without the rows of its first tokens. */
export function withoutFirstRows(capture: Capture, count: number): Capture {
  const values = capture.values.map((rows) => rows.subarray(count * capture.hiddenSize));
  return { ...capture, positions: capture.positions - count, values };
}

/** What a hook on a fused block sees at one position: the feed-forward output and what was added to it. */
export function feedForwardHalf(
  fed: Float32Array,
  stream: Float32Array,
  unedited: Float32Array,
  at: number,
): Float32Array {
  return unedited.map((value, i) => fed[at + i]! + (stream[at + i]! - value));
}
