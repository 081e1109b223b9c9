import { totalmem } from "node:os";
import type { BackendName } from "./backend.ts";

/** What a backend can hold of a model. */
export interface BackendMemory {
  /** Copies of each matrix that it keeps. */
  readonly copies: number;
  /** Bytes in all. */
  readonly limit: number;
  /** Whose limit that is, in words. */
  readonly whose: string;
}

export function backendMemory(name: BackendName): BackendMemory {
  // The WebAssembly kernels keep a second copy of each matrix, packed for their inner loops.
  if (name === "wasm") return { copies: 2, limit: 4 * 1024 ** 3, whose: "that WebAssembly addresses" };
  // Of a container, 0 or more than the machine has where there is no limit.
  const allowed = process.constrainedMemory?.() ?? 0;
  const limit = allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
  return { copies: 1, limit, whose: "of memory that this machine has" };
}
