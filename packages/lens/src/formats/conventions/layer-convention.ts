import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { aNumber, fields, oneOf, optional, whole } from "../../arguments/kinds.ts";
import { FormatError } from "../format-error.ts";

interface Convention {
  /** What index i means. */
  readonly means: string;
  /** Index of our layer 0, the output of decoder block 0. */
  readonly offset: 0 | 1;
  /** Lowest index that is the output of a block, and what those below are. */
  readonly first: number;
  readonly below: string;
  /** Highest one in a model of n blocks, as n − `end`, and what those above are. */
  readonly end: 0 | 1;
  /** The index above the highest one exists too, so that only n tells which it is. */
  readonly goesOn?: true;
  readonly above: string;
}

const blockOutput = {
  means: "output of block i",
  offset: 0,
  first: 0,
  below: "layers are counted from 0",
  end: 1,
  above: "the model has no such block",
} as const satisfies Convention;

const blockInput = {
  means: "input of block i, which is the output of block i − 1",
  offset: 1,
  first: 1,
  below: "the input of block 0 is the embedding, which is the output of no block",
  end: 1,
  above: "the output of the last block is the input of none",
} as const satisfies Convention;

/** How tools count layers, by whose they are. `residua` is ours: layer L is the output of block L, before the final norm. */
export const layerConventions = {
  residua: blockOutput,
  "vllm-lens": blockOutput,
  "geometry-of-truth": blockOutput,
  caa: blockOutput,
  repeng: blockOutput,
  "transformer-lens-post": { ...blockOutput, means: "blocks.i.hook_resid_post: output of block i" },
  "llama.cpp": {
    ...blockOutput,
    means: "direction.i of a GGUF control vector: output of block i",
    first: 1,
    below: "llama.cpp has no slot for layer 0",
  },
  steerkit: {
    ...blockOutput,
    means: "output of block i",
    below: "-1 is the embedding, which is the output of no block",
    above: "the one after the last block is the stream after the final norm",
  },
  huggingface: {
    means: "hidden_states[i]: output of block i − 1",
    offset: 1,
    first: 1,
    below: "hidden_states[0] is the embedding, which is the output of no block",
    end: 1,
    goesOn: true,
    above: "the last of hidden_states is after the final norm",
  },
  "transformer-lens-pre": { ...blockInput, means: "blocks.i.hook_resid_pre: input of block i" },
  "refusal-direction": blockInput,
  aisteer360: { ...blockInput, means: "input of block i (its default location, layer_input)" },
  "vllm-hidden-states": {
    means: "id i of eagle_aux_hidden_state_layer_ids: the stream after i blocks",
    offset: 1,
    first: 1,
    below: "id 0 is the embedding, which is the output of no block",
    end: 0,
    above: "the model has no such block",
  },
} as const satisfies Record<string, Convention>;

export type LayerConvention = keyof typeof layerConventions;

export interface LayerConversion {
  readonly from: LayerConvention;
  readonly to: LayerConvention;
  readonly layer: number;
  /** Blocks of the model. Needed where only it tells whether the last index has an equivalent. */
  readonly layers?: number;
}

/** The name of a convention. */
export const conventionKind = oneOf(Object.keys(layerConventions));
const conversionKind = fields({
  from: conventionKind,
  to: conventionKind,
  layer: aNumber,
  layers: optional(whole(1)),
});

/** The index in one convention as the index in another. Errors `format_invalid`, `layer_convention` where there is none, or it cannot be told. */
export function convertLayer(conversion: LayerConversion): number {
  checkFormatArguments("convertLayer", { conversion: [conversion, conversionKind] });
  const { from, to, layer, layers } = conversion;
  const [source, target]: readonly Convention[] = [layerConventions[from], layerConventions[to]];
  checkIndex(from, layer, layers, source!.goesOn === true);
  const converted = layer - source!.offset + target!.offset;
  // The output of the last block may be there, and the input of the block after it is not.
  const isShort = target!.offset + target!.end === 2 && source!.offset + source!.end < 2;
  checkIndex(to, converted, layers, isShort, `layer ${layer} of ${from} would be ${converted} of ${to}: `);
  return converted;
}

function checkIndex(
  name: LayerConvention,
  index: number,
  layers: number | undefined,
  needsLayers: boolean,
  before = "",
): void {
  const { first, below, end, above }: Convention = layerConventions[name];
  const refuse = (why: string): never => {
    throw new FormatError("layer_convention", `${before}${name} layer ${index}: ${why}`, {
      convention: name,
      layer: index,
      layers,
    });
  };
  if (!Number.isSafeInteger(index)) refuse("layers are whole numbers");
  if (index < first) refuse(below);
  if (layers !== undefined && index > layers - end) refuse(`${above} (${layers} blocks)`);
  if (layers === undefined && needsLayers) {
    refuse("say how many blocks the model has (layers): the last index has no equivalent");
  }
}
