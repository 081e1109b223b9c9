import { type Completion, ResiduaError } from "@residua/client";
import type { Capture, CaptureCheck, CapturedToken } from "../lens-types.ts";
import type { ServerFacts } from "../profiles/server-facts.ts";
import { readValues, type Tensor, tensorValues } from "../codec/tensor-codec.ts";

/**
 * Readers over a verified tensor `[layers, positions, hiddenSize]`. Every reader but `view` copies, so no row keeps the whole
 * alive.
 */
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

  function rowOffset(position: number): number {
    const at = position < 0 ? positions + position : position;
    if (Number.isInteger(at) && at >= 0 && at < positions) return at * hiddenSize;
    throw new ResiduaError(
      "position_out_of_range",
      `position ${position} asked; captured: 0 to ${positions - 1}, or -${positions} to -1 from the end`,
      { position, positions },
    );
  }

  const valuesFrom = (start: number, length: number, into?: Float32Array) =>
    readValues(tensor, start, start + length, into);

  return Object.freeze<Capture>({
    ...data,
    layers: Object.freeze([...layers]),
    hiddenSize,
    positions,
    dtype: tensor.dtype,
    row: ({ layer, position }) => valuesFrom(rowOffset(position) + layerStart(layer), hiddenSize),
    rowBits({ layer, position }) {
      if (tensor.dtype !== "bfloat16") {
        throw new ResiduaError(
          "not_bfloat16",
          `the server sent ${tensor.dtype}; read rows with row(), which loses nothing`,
        );
      }
      const start = rowOffset(position) + layerStart(layer);
      return tensor.bits.slice(start, start + hiddenSize);
    },
    layer(layer, into) {
      const start = layerStart(layer);
      return tensorValues(tensor, start, start + positions * hiddenSize, into);
    },
    position(position) {
      const offset = rowOffset(position);
      const values = new Float32Array(layers.length * hiddenSize);
      layers.forEach((_, i) =>
        valuesFrom(
          i * positions * hiddenSize + offset,
          hiddenSize,
          values.subarray(i * hiddenSize, (i + 1) * hiddenSize),
        ),
      );
      return values;
    },
    rows(layer) {
      const start = layerStart(layer);
      return repeatable(positions, (position) => valuesFrom(start + position * hiddenSize, hiddenSize));
    },
    eachLayer: () =>
      repeatable(layers.length, (i) => ({
        layer: layers[i] ?? 0,
        values: valuesFrom(i * positions * hiddenSize, positions * hiddenSize),
      })),
    view(layer) {
      const start = layerStart(layer);
      const whole = tensor.dtype === "float32" ? tensor.values : tensor.bits;
      return whole.subarray(start, start + positions * hiddenSize);
    },
  });
}

/** What can be gone through any number of times; an element is made when it is reached. */
function repeatable<T>(count: number, make: (i: number) => T): Iterable<T> {
  return {
    *[Symbol.iterator]() {
      for (let i = 0; i < count; i++) yield make(i);
    },
  };
}
