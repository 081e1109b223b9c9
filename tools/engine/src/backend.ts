import * as tf from "@tensorflow/tfjs-core";
import "@tensorflow/tfjs-backend-wasm";
import { EngineError } from "./engine-error.ts";

/** A weight matrix in the memory of the tfjs backend, shape [inputs, outputs]. */
export interface Matrix {
  readonly inputs: number;
  readonly outputs: number;
  readonly tensor: tf.Tensor;
}

/** The memory that a WebAssembly backend can address, in bytes. */
export const wasmMemoryLimit = 4 * 1024 ** 3;

/** Starts the tfjs WebAssembly backend, whose SIMD build lies in its package; nothing is fetched. */
export async function startBackend(): Promise<void> {
  if (tf.getBackend() === "wasm") return;
  if (!(await tf.setBackend("wasm"))) {
    throw new EngineError("backend_unavailable", "the tfjs WebAssembly backend did not start");
  }
  await tf.ready();
}

/** Tensors that tfjs holds at the moment: the same before and after a request, unless something leaks. */
export function tensorCount(): number {
  return tf.memory().numTensors;
}

export function createMatrix(values: Float32Array, inputs: number, outputs: number): Matrix {
  return { inputs, outputs, tensor: tf.tensor2d(values, [inputs, outputs]) };
}

export function disposeMatrix(matrix: Matrix): void {
  matrix.tensor.dispose();
}

/**
 * rows [count, inputs] × matrix [inputs, outputs] → [count, outputs]. Each row's result has the same
 * bits whatever rows lie beside it, so a request's result does not depend on what it is packed with.
 */
export function multiply(rows: Float32Array, matrix: Matrix): Float32Array {
  const count = rows.length / matrix.inputs;
  const input = tf.tensor2d(rows, [count, matrix.inputs]);
  try {
    // The kernel itself: tf.matMul adds gradient and reshape bookkeeping that costs more than a small product.
    const inputs = { a: input, b: matrix.tensor };
    const result = tf
      .engine()
      .runKernel<tf.Tensor>("BatchMatMul", inputs, { transposeA: false, transposeB: false });
    try {
      return result.dataSync<"float32">();
    } finally {
      result.dispose();
    }
  } finally {
    input.dispose();
  }
}
