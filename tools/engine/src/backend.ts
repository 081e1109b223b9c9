import * as tf from "@tensorflow/tfjs-core";
import type { BackendWasm } from "@tensorflow/tfjs-backend-wasm";
import "@tensorflow/tfjs-backend-wasm";
import { EngineError } from "./engine-error.ts";
import { withoutRethrowing } from "./without-rethrowing.ts";

/** A weight matrix in the memory of the tfjs backend, shape [inputs, outputs]. */
export interface Matrix {
  readonly inputs: number;
  readonly outputs: number;
  readonly place: Place;
}

/** A tensor where the kernels know it: by its number, at a byte of the backend's memory. */
interface Place {
  readonly tensor: tf.Tensor;
  readonly id: number;
  readonly offset: number;
}

/** What is used of the compiled module, which tfjs declares by types that it does not ship. */
interface WasmModule {
  readonly HEAPU8: Uint8Array;
  cwrap(name: string, returns: null, takes: readonly "number"[]): Kernel;
}

/** Matrices by number, shapes by the byte where they lie. */
type Kernel = (
  a: number,
  aShape: number,
  aRank: number,
  b: number,
  bShape: number,
  bRank: number,
  transposeA: 0 | 1,
  transposeB: 0 | 1,
  result: number,
) => void;

/** The memory that a WebAssembly backend can address, in bytes. */
export const wasmMemoryLimit = 4 * 1024 ** 3;

/** Starts the tfjs WebAssembly backend, whose SIMD build lies in its package; nothing is fetched. */
export async function startBackend(): Promise<void> {
  if (tf.getBackend() === "wasm") return;
  if (!(await withoutRethrowing(() => tf.setBackend("wasm")))) {
    throw new EngineError("backend_unavailable", "the tfjs WebAssembly backend did not start");
  }
  await tf.ready();
}

/** Tensors that tfjs holds at the moment: the same before and after a request, unless something leaks. */
export function tensorCount(): number {
  return tf.memory().numTensors;
}

export function createMatrix(values: Float32Array, inputs: number, outputs: number): Matrix {
  const matrix = { inputs, outputs, place: place(tf.tensor2d(values, [inputs, outputs])) };
  matrices++;
  return matrix;
}

export function disposeMatrix(matrix: Matrix): void {
  matrix.place.tensor.dispose();
  if (--matrices > 0) return;
  for (const { tensor } of rooms.values()) tensor.dispose();
  rooms.clear();
}

/**
 * rows [count, inputs] × matrix [inputs, outputs] → [count, outputs]. Each row's result has the same
 * bits whatever rows lie beside it, so a request's result does not depend on what it is packed with.
 */
export function multiply(rows: Float32Array, { inputs, outputs, place: { id } }: Matrix): Float32Array {
  const count = rows.length / inputs;
  const input = room("input", rows.length);
  const shapes = room("shapes", 6);
  const result = room("result", count * outputs);
  const wasm = backend().wasm as unknown as WasmModule;
  // The kernel itself, on tensors that stay: to make and free them by tf.matMul takes longer than a small product.
  product ??= wasm.cwrap("BatchMatMul", null, Array<"number">(9).fill("number"));
  // The memory moves when it grows, so a view of it serves once.
  const { buffer } = wasm.HEAPU8;
  new Float32Array(buffer, input.offset, rows.length).set(rows);
  new Int32Array(buffer, shapes.offset, 6).set([1, count, inputs, 1, inputs, outputs]);
  product(input.id, shapes.offset, 3, id, shapes.offset + 12, 3, 0, 0, result.id);
  return new Float32Array(wasm.HEAPU8.buffer, result.offset, count * outputs).slice();
}

let product: Kernel | null = null;
let matrices = 0;
const rooms = new Map<string, Place>();

/** Room for `length` numbers, or for more, that stays from product to product until the last matrix goes. */
function room(name: "input" | "shapes" | "result", length: number): Place {
  let held = rooms.get(name);
  if (held === undefined || held.tensor.size < length) {
    held?.tensor.dispose();
    held = place(tf.zeros([length]));
    rooms.set(name, held);
  }
  return held;
}

function place(tensor: tf.Tensor): Place {
  const { id, memoryOffset } = backend().dataIdMap.get(tensor.dataId);
  return { tensor, id, offset: memoryOffset };
}

const backend = () => tf.backend() as BackendWasm;
