import type { BackendMemory } from "./backend-memory.ts";
import type { Matrix, MatrixBackend } from "./backend.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { ModelFolderError } from "./engine-error.ts";
import type { ModelConfig } from "./model-config.ts";
import { decodeTensor, tensorBytes } from "./tensor-formats.ts";

interface LayerWeights {
  readonly attentionNorm: Float32Array;
  /** Query, key and value projections beside each other: [hidden, query + key + value]. */
  readonly queryKeyValue: Matrix;
  /** [query + key + value] */
  readonly queryKeyValueBias: Float32Array | null;
  readonly attentionOut: Matrix;
  /** [hidden] */
  readonly attentionOutBias: Float32Array | null;
  readonly feedForwardNorm: Float32Array;
  /** Gate and up projections beside each other: [hidden, 2 × feed-forward]. */
  readonly gateUp: Matrix;
  readonly down: Matrix;
}

export interface Weights {
  /** Writes the embedding of a token, [hidden], into `into` from `at`. */
  embed(token: number, into: Float32Array, at: number): void;
  readonly layers: readonly LayerWeights[];
  readonly finalNorm: Float32Array;
  readonly head: Matrix;
}

/** Memory for the activations of one pass, beside the weights. */
const workspaceBytes = 256 * 1024 ** 2;

/** Numbers in the matrices of a model: what the backend holds. */
export function matrixParameters(config: ModelConfig): number {
  const { hiddenSize, feedForwardSize, heads, keyValueHeads, headSize, layers, vocabSize } = config;
  const attention = hiddenSize * headSize * (2 * heads + 2 * keyValueHeads);
  return layers * (attention + 3 * hiddenSize * feedForwardSize) + hiddenSize * vocabSize;
}

/** Throws ModelFolderError `model_too_large`, with the sum, for a model that the backend cannot hold. */
export function checkModelSize(config: ModelConfig, { copies, limit, whose }: BackendMemory): void {
  const parameters = matrixParameters(config);
  const needed = parameters * 4 * copies + workspaceBytes;
  if (needed <= limit) return;
  const gib = (bytes: number) => (bytes / 1024 ** 3).toFixed(2);
  const most = Math.floor((limit - workspaceBytes) / (4 * copies));
  throw new ModelFolderError(
    "model_too_large",
    `${parameters} matrix parameters × 4 bytes × ${copies} ${copies === 1 ? "copy" : "copies"} + ${gib(workspaceBytes)} GiB workspace = ${gib(needed)} GiB, over the ${gib(limit)} GiB ${whose}; take a model of at most ${most} matrix parameters`,
    { parameters, needed, limit },
  );
}

/** Loads every matrix into the backend, transposed to [inputs, outputs] and fused where the input is shared. */
export async function loadWeights(
  checkpoint: Checkpoint,
  config: ModelConfig,
  backend: MatrixBackend,
): Promise<Weights> {
  const { hiddenSize: hidden, feedForwardSize: feedForward, vocabSize: vocab } = config;
  const query = config.heads * config.headSize;
  const keyValue = config.keyValueHeads * config.headSize;
  const held: Matrix[] = [];
  const matrix = async (inputs: number, parts: readonly (readonly [name: string, outputs: number])[]) => {
    const outputs = parts.reduce((sum, [, count]) => sum + count, 0);
    const values = new Float32Array(inputs * outputs);
    let column = 0;
    for (const [name, count] of parts) {
      transposeInto(values, outputs, column, await checkpoint.floats(name, [count, inputs]), count, inputs);
      column += count;
    }
    const made = backend.createMatrix(values, inputs, outputs);
    held.push(made);
    return made;
  };
  const bias = async (parts: readonly (readonly [name: string, outputs: number])[]) => {
    const values = new Float32Array(parts.reduce((sum, [, count]) => sum + count, 0));
    let at = 0;
    for (const [name, count] of parts) {
      values.set(await checkpoint.floats(name, [count]), at);
      at += count;
    }
    return values;
  };
  try {
    const layers: LayerWeights[] = [];
    for (let layer = 0; layer < config.layers; layer++) {
      const name = (part: string, kind = "weight") => `model.layers.${layer}.${part}.${kind}`;
      layers.push({
        attentionNorm: await checkpoint.floats(name("input_layernorm"), [hidden]),
        queryKeyValue: await matrix(hidden, [
          [name("self_attn.q_proj"), query],
          [name("self_attn.k_proj"), keyValue],
          [name("self_attn.v_proj"), keyValue],
        ]),
        queryKeyValueBias: config.queryKeyValueBias
          ? await bias([
              [name("self_attn.q_proj", "bias"), query],
              [name("self_attn.k_proj", "bias"), keyValue],
              [name("self_attn.v_proj", "bias"), keyValue],
            ])
          : null,
        attentionOut: await matrix(query, [[name("self_attn.o_proj"), hidden]]),
        attentionOutBias: config.attentionOutBias
          ? await bias([[name("self_attn.o_proj", "bias"), hidden]])
          : null,
        feedForwardNorm: await checkpoint.floats(name("post_attention_layernorm"), [hidden]),
        gateUp: await matrix(hidden, [
          [name("mlp.gate_proj"), feedForward],
          [name("mlp.up_proj"), feedForward],
        ]),
        down: await matrix(feedForward, [[name("mlp.down_proj"), hidden]]),
      });
    }
    const table = await checkpoint.raw("model.embed_tokens.weight", [vocab, hidden]);
    const rowBytes = tensorBytes(table.format, hidden);
    const head = config.tiedEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight";
    return {
      embed: (token, into, at) =>
        into.set(
          decodeTensor(table.bytes.subarray(token * rowBytes, (token + 1) * rowBytes), table.format),
          at,
        ),
      layers,
      finalNorm: await checkpoint.floats("model.norm.weight", [hidden]),
      head: await matrix(hidden, [[head, vocab]]),
    };
  } catch (error) {
    for (const matrix of held) matrix.dispose();
    throw error;
  }
}

export function disposeWeights(weights: Weights): void {
  for (const layer of weights.layers) {
    for (const matrix of [layer.queryKeyValue, layer.attentionOut, layer.gateUp, layer.down])
      matrix.dispose();
  }
  weights.head.dispose();
}

/** Writes source [rows, columns] transposed into `into` [columns, width] from column `at`; in tiles, for the cache. */
function transposeInto(
  into: Float32Array,
  width: number,
  at: number,
  source: Float32Array,
  rows: number,
  columns: number,
): void {
  const tile = 32;
  for (let row0 = 0; row0 < rows; row0 += tile) {
    const row1 = Math.min(rows, row0 + tile);
    for (let column0 = 0; column0 < columns; column0 += tile) {
      const column1 = Math.min(columns, column0 + tile);
      for (let row = row0; row < row1; row++) {
        for (let column = column0; column < column1; column++) {
          into[column * width + at + row] = source[row * columns + column]!;
        }
      }
    }
  }
}
