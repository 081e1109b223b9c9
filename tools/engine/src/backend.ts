import { EngineError } from "./engine-error.ts";

/** `wasm` runs everywhere; `native` is TensorFlow's own library, where `residua backend install` or npm has put it. */
export const backendNames = ["wasm", "native"] as const;
export type BackendName = (typeof backendNames)[number];

/** A weight matrix in the memory of a backend, shape [inputs, outputs]. */
export interface Matrix {
  readonly inputs: number;
  readonly outputs: number;
  /**
   * rows [count, inputs] × matrix → [count, outputs]. Each row's result has the same bits whatever rows lie beside it, so
   * a request's result does not depend on what it is packed with.
   */
  multiply(rows: Float32Array): Float32Array;
  dispose(): void;
}

/** What multiplies. It is the engine's own: which backend tfjs computes on elsewhere in the process makes no difference. */
export interface MatrixBackend {
  readonly name: BackendName;
  /** What computes, in words. */
  readonly device: string;
  createMatrix(values: Float32Array, inputs: number, outputs: number): Matrix;
  /** Tensors that it holds at the moment. */
  tensors(): number;
}

/** rows [count, inputs] × matrix → [count, outputs]. */
export function multiply(rows: Float32Array, matrix: Matrix): Float32Array {
  return matrix.multiply(rows);
}

const started = new Map<BackendName, Promise<MatrixBackend>>();

/** Starts a backend, once. Throws EngineError `backend_unavailable`. */
export function startBackend(name: BackendName = "wasm"): Promise<MatrixBackend> {
  const running = started.get(name);
  if (running !== undefined) return running;
  const starting = start(name).then((backend) => {
    counts.push(() => backend.tensors());
    return backend;
  });
  started.set(name, starting);
  // One that was built meanwhile is found at the next call.
  starting.catch(() => started.delete(name));
  return starting;
}

async function start(name: BackendName): Promise<MatrixBackend> {
  switch (name) {
    case "wasm":
      return (await import("./backend-wasm.ts")).startWasm();
    case "native":
      return (await import("./backend-native.ts")).startNative();
    default:
      throw new EngineError(
        "backend_unavailable",
        `backend ${JSON.stringify(name)} is not known; allowed: ${backendNames.join(", ")}`,
      );
  }
}

const counts: (() => number)[] = [];

/** Tensors that the engine's backends hold at the moment: the same before and after a request, unless something leaks. */
export function tensorCount(): number {
  return counts.reduce((sum, count) => sum + count(), 0);
}
