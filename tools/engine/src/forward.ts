import { attend } from "./attention.ts";
import { multiply } from "./backend.ts";
import { exponential } from "./exponential.ts";
import { feedForwardHalf, type EngineFaults } from "./faults.ts";
import { intervene, type InterventionPlan } from "./interventions.ts";
import { writeKvCache, type KvCache } from "./kv-cache.ts";
import type { ModelConfig } from "./model-config.ts";
import type { ResidualRecorder } from "./residual-capture.ts";
import { rmsNorm } from "./rms-norm.ts";
import { rotate, type RopeTable } from "./rope.ts";
import { steer, type SteeringPlan } from "./steering.ts";
import type { Weights } from "./weights.ts";

export interface Network {
  readonly config: ModelConfig;
  readonly weights: Weights;
  readonly rope: RopeTable;
}

/** The new tokens of one sequence in a pass. */
export interface Segment {
  /** The tokens to run, at the positions start, start + 1, … */
  readonly tokens: readonly number[];
  readonly start: number;
  readonly cache: KvCache;
  readonly steering: SteeringPlan | null;
  readonly interventions?: InterventionPlan | null;
  readonly recorder: ResidualRecorder | null;
  readonly faults?: EngineFaults | undefined;
  readonly logits: "none" | "last" | "all";
}

/**
 * Runs several sequences' new tokens in one pass: their rows lie below each other in one [tokens, hidden]
 * matrix for every product with a weight matrix, while attention, steering and capture go by sequence.
 * Fills the caches and recorders. Returns for each segment its scores, [0, 1 or all rows, vocabSize].
 */
export function forward(network: Network, segments: readonly Segment[]): Float32Array[] {
  const { config, weights } = network;
  const hidden = config.hiddenSize;
  const rows = segments.reduce((sum, segment) => sum + segment.tokens.length, 0);
  const stream = new Float32Array(rows * hidden);
  eachRow(segments, (row, { tokens, start, recorder }, index) => {
    weights.embed(tokens[index]!, stream, row * hidden);
    recorder?.record(-1, start + index, stream, row * hidden);
  });
  weights.layers.forEach((layer, number) => {
    const projected = multiply(rmsNorm(stream, layer.attentionNorm, config.normEpsilon), layer.queryKeyValue);
    addToRows(projected, layer.queryKeyValueBias);
    add(stream, multiply(attention(network, segments, number, rows, projected), layer.attentionOut));
    addToRows(stream, layer.attentionOutBias);
    const gated = multiply(rmsNorm(stream, layer.feedForwardNorm, config.normEpsilon), layer.gateUp);
    const fed = multiply(swiGlu(gated, config.feedForwardSize), layer.down);
    add(stream, fed);
    eachRow(segments, (row, segment, index) =>
      afterBlock(config, segment, number, segment.start + index, stream, fed, row * hidden),
    );
  });
  return scores(network, segments, stream);
}

/** Steers, then intervenes, then captures: one position after a block, whose feed-forward part added `fed`; both [hiddenSize] from `at`. */
function afterBlock(
  config: ModelConfig,
  { steering, interventions, recorder, faults }: Segment,
  layer: number,
  position: number,
  stream: Float32Array,
  fed: Float32Array,
  at: number,
): void {
  const unedited = faults?.halfResidual ? stream.slice(at, at + config.hiddenSize) : null;
  const normOf = faults?.normMatchDelta ? fed : stream;
  if (steering !== null) steer(steering, config, layer, position, stream, at, normOf);
  if (interventions) intervene(interventions, layer, position, stream, at);
  if (unedited === null) recorder?.record(layer, position, stream, at);
  else recorder?.record(layer, position, feedForwardHalf(fed, stream, unedited, at), 0);
}

function attention(
  { config, rope }: Network,
  segments: readonly Segment[],
  layer: number,
  rows: number,
  projected: Float32Array,
): Float32Array {
  const { heads, keyValueHeads, headSize } = config;
  const query = heads * headSize;
  const width = query + 2 * keyValueHeads * headSize;
  const attended = new Float32Array(rows * query);
  eachRow(segments, (row, { cache, start }, index) => {
    const at = row * width;
    const position = start + index;
    // Query and key heads lie beside each other and turn by the same angles.
    rotate(projected, at, heads + keyValueHeads, headSize, rope, position);
    writeKvCache(
      cache,
      config,
      layer,
      position,
      projected,
      at + query,
      at + query + keyValueHeads * headSize,
    );
    attend(config, cache, layer, position, projected, at, attended, row * query);
  });
  return attended;
}

function scores(
  { config, weights }: Network,
  segments: readonly Segment[],
  stream: Float32Array,
): Float32Array[] {
  const hidden = config.hiddenSize;
  const counts = segments.map(({ logits, tokens }) =>
    logits === "none" ? 0 : logits === "last" ? 1 : tokens.length,
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return segments.map(() => new Float32Array(0));
  const wanted = new Float32Array(total * hidden);
  let end = 0;
  let to = 0;
  segments.forEach(({ tokens }, s) => {
    end += tokens.length;
    wanted.set(stream.subarray((end - counts[s]!) * hidden, end * hidden), to * hidden);
    to += counts[s]!;
  });
  const all = multiply(rmsNorm(wanted, weights.finalNorm, config.normEpsilon), weights.head);
  let from = 0;
  return counts.map((count) => all.subarray(from * config.vocabSize, (from += count) * config.vocabSize));
}

function eachRow(
  segments: readonly Segment[],
  visit: (row: number, segment: Segment, index: number) => void,
): void {
  let row = 0;
  for (const segment of segments) {
    for (let index = 0; index < segment.tokens.length; index++) visit(row++, segment, index);
  }
}

/** silu(gate) × up, from rows of gate and up beside each other. */
function swiGlu(gated: Float32Array, width: number): Float32Array {
  const result = new Float32Array(gated.length / 2);
  for (let from = 0, to = 0; from < gated.length; from += 2 * width, to += width) {
    for (let i = 0; i < width; i++) {
      const gate = gated[from + i]!;
      result[to + i] = (gate / (1 + exponential(-gate))) * gated[from + width + i]!;
    }
  }
  return result;
}

function add(into: Float32Array, other: Float32Array): void {
  for (let i = 0; i < into.length; i++) into[i]! += other[i]!;
}

function addToRows(rows: Float32Array, bias: Float32Array | null): void {
  if (bias === null) return;
  for (let at = 0; at < rows.length; at += bias.length) {
    for (let i = 0; i < bias.length; i++) rows[at + i]! += bias[i]!;
  }
}
