/** The residual stream of one sequence after chosen layers, before the final norm, steering included; -1 is that of the token embeddings. */
export interface Capture {
  /** Ascending. */
  readonly layers: readonly number[];
  /** Prompt + generated − 1: the last token is never run. */
  readonly positions: number;
  readonly hiddenSize: number;
  /** For each of `layers`, [positions, hiddenSize]. */
  readonly values: readonly Float32Array[];
}

export interface ResidualRecorder {
  record(layer: number, position: number, stream: Float32Array, at: number): void;
  finish(positions: number): Capture;
}

/** Collects rows of the layers asked for, up to `maxPositions`. */
export function recordResidual(
  layers: readonly number[],
  maxPositions: number,
  hiddenSize: number,
): ResidualRecorder {
  const ascending = [...layers].sort((a, b) => a - b);
  const held = new Map(ascending.map((layer) => [layer, new Float32Array(maxPositions * hiddenSize)]));
  return {
    record: (layer, position, stream, at) =>
      held.get(layer)?.set(stream.subarray(at, at + hiddenSize), position * hiddenSize),
    finish: (positions) => ({
      layers: ascending,
      positions,
      hiddenSize,
      values: ascending.map((layer) => held.get(layer)!.subarray(0, positions * hiddenSize)),
    }),
  };
}
