import { type Completion, ResiduaError } from "@residua/client";
import type { Capture, CaptureCheck, CapturedToken } from "../lens-types.ts";
import type { ServerFacts } from "../profiles/server-facts.ts";
import { type Tensor, tensorValues } from "../codec/tensor-codec.ts";

/** Readers over a verified tensor `[layers, positions, hiddenSize]`. Every reader copies, so no row keeps the whole alive. */
export function makeCapture(parts: {
  model: string;
  prompt: string | readonly number[];
  bosTokenId: number | null;
  layers: readonly number[];
  tensor: Tensor;
  tokens: readonly CapturedToken[];
  checks: readonly CaptureCheck[];
  server: ServerFacts;
  completion: Completion;
}): Capture {
  const { tensor, layers, ...data } = parts;
  const [, positions = 0, hiddenSize = 0] = tensor.shape;

  function layerStart(layer: number): number {
    const at = layers.indexOf(layer);
    if (at >= 0) return at * positions * hiddenSize;
    throw new ResiduaError("layer_not_captured", `layer ${layer} asked; captured: ${layers.join(", ")}`, {
      layer,
      layers,
    });
  }

  function rowStart({ layer, position }: { layer: number; position: number }): number {
    const at = position < 0 ? positions + position : position;
    if (Number.isInteger(at) && at >= 0 && at < positions) return layerStart(layer) + at * hiddenSize;
    throw new ResiduaError(
      "position_out_of_range",
      `position ${position} asked; captured: 0 to ${positions - 1}, or -${positions} to -1 from the end`,
      { position, positions },
    );
  }

  return Object.freeze({
    ...data,
    layers: Object.freeze([...layers]),
    hiddenSize,
    positions,
    dtype: tensor.dtype,
    row(at: { layer: number; position: number }) {
      const start = rowStart(at);
      return tensorValues(tensor, start, start + hiddenSize);
    },
    rowBits(at: { layer: number; position: number }) {
      if (tensor.dtype !== "bfloat16") {
        throw new ResiduaError(
          "not_bfloat16",
          `the server sent ${tensor.dtype}; read rows with row(), which loses nothing`,
        );
      }
      const start = rowStart(at);
      return tensor.bits.slice(start, start + hiddenSize);
    },
    layer(layer: number) {
      const start = layerStart(layer);
      return tensorValues(tensor, start, start + positions * hiddenSize);
    },
  });
}
