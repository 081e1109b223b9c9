import { Buffer } from "node:buffer";
import { kernelBytes } from "./kernel-bytes.ts";

/** What `kernels/` exports; addresses are bytes in `memory`, multiples of 16. */
interface KernelExports {
  readonly memory: WebAssembly.Memory;
  gramSingle(values: number, rows: number, width: number, line: number, out: number): void;
  gramDouble(values: number, rows: number, width: number, line: number, out: number): void;
  factorSingle(matrix: number, size: number, scratch: number): number;
  factorDouble(matrix: number, size: number, scratch: number): number;
  shiftSingle(matrix: number, size: number, scale: number, shift: number, out: number): void;
  solveSingle(factor: number, size: number, values: number): void;
  solveDouble(factor: number, size: number, values: number): void;
}

/** An instance of the kernels with a memory of its own, which goes when the instance is let go of. */
export interface Kernels {
  readonly run: KernelExports;
  /** The address of `bytes` new bytes, all 0. Views taken before are stale afterwards. */
  take(bytes: number): number;
  floats(at: number, length: number): Float32Array;
  doubles(at: number, length: number): Float64Array;
}

const page = 65536;
let compiled: WebAssembly.Module | undefined;

/** Starts the numeric kernels: WebAssembly with vectors, on the CPU, whatever the backend. */
export function startKernels(): Kernels {
  compiled ??= new WebAssembly.Module(Buffer.from(kernelBytes, "base64"));
  const run = new WebAssembly.Instance(compiled).exports as unknown as KernelExports;
  let next = run.memory.buffer.byteLength;
  return {
    run,
    take(bytes) {
      const at = next;
      next += Math.ceil(bytes / 16) * 16;
      const missing = next - run.memory.buffer.byteLength;
      if (missing > 0) run.memory.grow(Math.ceil(missing / page));
      return at;
    },
    floats: (at, length) => new Float32Array(run.memory.buffer, at, length),
    doubles: (at, length) => new Float64Array(run.memory.buffer, at, length),
  };
}
