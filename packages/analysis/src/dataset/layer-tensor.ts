import * as tf from "@tensorflow/tfjs";
import { activeBackend } from "../backend/active-backend.ts";
import { deviceLimits } from "../backend/device-limits.ts";
import { onBackend } from "../backend/use-backend.ts";
import { checkedSource } from "./checked-source.ts";
import { DatasetError } from "./dataset-error.ts";
import { layerFiller } from "./layer-filler.ts";
import type { RowSource } from "./row-source.ts";

/**
 * One layer as a tensor `[rows, hiddenSize]` of float32 on the active backend (one is chosen if none runs), for the caller to
 * dispose. On `cpu` the rows are read into the tensor's own memory; on `wasm` into the heap of WebAssembly, piece by piece; elsewhere
 * they are handed to the backend once. Throws DatasetError (`no_such_layer`, `layer_too_large`, …).
 */
export function layerTensor(given: RowSource, layer: number): Promise<tf.Tensor2D> {
  return onBackend(async () => {
    const source = checkedSource(given);
    const shape: [number, number] = [source.rows, source.hiddenSize];
    refuseTooLarge(shape, layer);
    const [heap, fill] = [wasmHeap(), layerFiller(source)];
    if (heap === undefined || fill === undefined || !source.layers.includes(layer)) {
      return tf.tensor2d(await source.layer(layer), shape, "float32");
    }
    const info = heap.makeOutput(shape, "float32");
    const tensor = tf.engine().makeTensorFromTensorInfo(info) as tf.Tensor2D;
    try {
      const values = (): Float32Array => heap.typedArrayFromHeap(info) as Float32Array;
      await fill(layer, { values, moves: true });
      return tensor;
    } catch (error) {
      tensor.dispose();
      throw error;
    }
  });
}

/** What is used of tfjs's WASM backend: its outputs lie in a heap that JavaScript can write to. */
interface WasmHeap {
  makeOutput(shape: number[], dtype: "float32"): tf.TensorInfo;
  typedArrayFromHeap(info: tf.TensorInfo): tf.TypedArray;
}

function wasmHeap(): WasmHeap | undefined {
  const backend = tf.backend() as Partial<WasmHeap>;
  const whole = typeof backend.makeOutput === "function" && typeof backend.typedArrayFromHeap === "function";
  return activeBackend() === "wasm" && whole ? (backend as WasmHeap) : undefined;
}

/** The heap of WebAssembly ends the whole backend when it grows beyond 4 GiB; some of it is for others. */
const heapBytes = 2 ** 32 - 2 ** 26;

/** WebAssembly ends, and WebGPU answers wrongly, when a tensor is too large for it. */
function refuseTooLarge([rows, width]: readonly [number, number], layer: number): void {
  const free = activeBackend() === "wasm" ? heapBytes - tf.memory().numBytes : Number.POSITIVE_INFINITY;
  const most = Math.min(free, deviceLimits().bytes);
  if (4 * rows * width <= most) return;
  throw new DatasetError("layer_too_large", {
    path: `layer ${layer}`,
    found: `${rows} × ${width} float32 numbers, ${4 * rows * width} bytes`,
    expected: `at most ${most} bytes, which the backend has room for`,
    advice: "Dispose tensors, read the layer in blocks with layerBlocks(L), or use another backend.",
  });
}
