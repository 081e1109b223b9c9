import * as tf from "@tensorflow/tfjs-core";
import type { BackendWasm } from "@tensorflow/tfjs-backend-wasm";
import "@tensorflow/tfjs-backend-wasm";
import type { Matrix, MatrixBackend } from "./backend.ts";
import { EngineError } from "./engine-error.ts";
import { withoutRethrowing } from "./without-rethrowing.ts";

/** A tensor where the kernels know it: by its number, at a byte of the backend's memory. */
interface Place {
  readonly dataId: object;
  readonly id: number;
  readonly offset: number;
  readonly size: number;
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

/** An instance of the tfjs WebAssembly backend, whose SIMD build lies in its package; nothing is fetched. */
export async function startWasm(): Promise<MatrixBackend> {
  const make = tf.findBackendFactory("wasm");
  const backend = (await withoutRethrowing(() => Promise.resolve(make()))) as BackendWasm | null;
  if (!backend) throw new EngineError("backend_unavailable", "the tfjs WebAssembly backend did not start");
  const products = new WasmProducts(backend);
  return {
    name: "wasm",
    device: "CPU, WebAssembly with SIMD, 1 thread",
    createMatrix: (values, inputs, outputs) => products.createMatrix(values, inputs, outputs),
    tensors: () => backend.numDataIds(),
  };
}

class WasmProducts {
  readonly #backend: BackendWasm;
  readonly #wasm: WasmModule;
  readonly #product: Kernel;
  readonly #rooms = new Map<string, Place>();
  #matrices = 0;

  constructor(backend: BackendWasm) {
    this.#backend = backend;
    this.#wasm = backend.wasm as unknown as WasmModule;
    // The kernel itself, on tensors that stay: to make and free them by tf.matMul takes longer than a small product.
    this.#product = this.#wasm.cwrap("BatchMatMul", null, Array<"number">(9).fill("number"));
  }

  createMatrix(values: Float32Array, inputs: number, outputs: number): Matrix {
    const place = this.#place(values.length, values);
    this.#matrices++;
    return {
      inputs,
      outputs,
      multiply: (rows) => this.#multiply(rows, place.id, inputs, outputs),
      dispose: () => {
        this.#free(place);
        if (--this.#matrices > 0) return;
        for (const room of this.#rooms.values()) this.#free(room);
        this.#rooms.clear();
      },
    };
  }

  #multiply(rows: Float32Array, id: number, inputs: number, outputs: number): Float32Array {
    const count = rows.length / inputs;
    const input = this.#room("input", rows.length);
    const shapes = this.#room("shapes", 6);
    const result = this.#room("result", count * outputs);
    // The memory moves when it grows, so a view of it serves once.
    const { buffer } = this.#wasm.HEAPU8;
    new Float32Array(buffer, input.offset, rows.length).set(rows);
    new Int32Array(buffer, shapes.offset, 6).set([1, count, inputs, 1, inputs, outputs]);
    this.#product(input.id, shapes.offset, 3, id, shapes.offset + 12, 3, 0, 0, result.id);
    return new Float32Array(this.#wasm.HEAPU8.buffer, result.offset, count * outputs).slice();
  }

  /** Room for `length` numbers, or for more, that stays from product to product until the last matrix goes. */
  #room(name: "input" | "shapes" | "result", length: number): Place {
    let held = this.#rooms.get(name);
    if (held === undefined || held.size < length) {
      if (held !== undefined) this.#free(held);
      held = this.#place(length, new Float32Array(length));
      this.#rooms.set(name, held);
    }
    return held;
  }

  #place(size: number, values: Float32Array): Place {
    const dataId = this.#backend.write(values, [size], "float32");
    const { id, memoryOffset } = this.#backend.dataIdMap.get(dataId);
    return { dataId, id, offset: memoryOffset, size };
  }

  #free(place: Place): void {
    this.#backend.disposeData(place.dataId, true);
  }
}
