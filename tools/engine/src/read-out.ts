import { multiply } from "./backend.ts";
import { EngineError } from "./engine-error.ts";
import type { Network } from "./forward.ts";
import { openModelFiles } from "./model-files.ts";
import { rmsNorm } from "./rms-norm.ts";
import { decodeTensor, tensorBytes } from "./tensor-formats.ts";

/** The two ends of a model by themselves: what turns tokens into the stream, and the stream into scores. */
export interface ReadOut {
  /** The weight of the final norm, [hiddenSize]. */
  readonly finalNorm: Float32Array;
  /** Rows of the stream, [count, hiddenSize], through the final norm and the unembedding: scores [count, vocabSize]. */
  scores(rows: Float32Array): Float32Array;
  /** Rows through the unembedding alone: [count, vocabSize]. */
  project(rows: Float32Array): Float32Array;
  /** [hiddenSize] */
  embedding(token: number): Float32Array;
  /** A token's row of the unembedding, [hiddenSize]. Where it is no embedding too, it is read from the model's files. */
  unembedding(token: number): Promise<Float32Array>;
}

/** `isOpen` says whether the model is still there: each method throws EngineError `model_disposed` where it is not. */
export function makeReadOut({ config, weights }: Network, path: string, isOpen: () => boolean): ReadOut {
  const { hiddenSize, vocabSize, normEpsilon, tiedEmbeddings } = config;

  function checkOpen(): void {
    if (!isOpen()) throw new EngineError("model_disposed", "the model was disposed; load it again");
  }

  function embedding(token: number): Float32Array {
    checkOpen();
    const row = new Float32Array(hiddenSize);
    weights.embed(token, row, 0);
    return row;
  }

  return {
    finalNorm: weights.finalNorm,
    scores(rows) {
      checkOpen();
      return multiply(rmsNorm(rows, weights.finalNorm, normEpsilon), weights.head);
    },
    project(rows) {
      checkOpen();
      return multiply(rows, weights.head);
    },
    embedding,
    async unembedding(token) {
      if (tiedEmbeddings) return embedding(token);
      checkOpen();
      const { checkpoint } = await openModelFiles(path);
      try {
        const { bytes, format } = await checkpoint.raw("lm_head.weight", [vocabSize, hiddenSize]);
        const size = tensorBytes(format, hiddenSize);
        return decodeTensor(bytes.subarray(token * size, (token + 1) * size), format);
      } finally {
        await checkpoint.close();
      }
    },
  };
}
