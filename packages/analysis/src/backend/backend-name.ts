/** What tfjs can compute on. `node-cpu` is the native package where no GPU computes: still some seven times WASM. */
export type BackendName = "node-gpu" | "node-cpu" | "webgpu" | "wasm" | "cpu";

/** Why a backend was not taken. */
export interface BackendReason {
  name: BackendName;
  reason: string;
}

/** What computes, and why nothing better does. */
export interface Backend {
  name: BackendName;
  /** What computes, in words; a GPU is named only when one computes. */
  device: string;
  /** Threads that one operation uses; null where the device's own scheduler decides. */
  threads: number | null;
  /** Why each backend before this one was not taken, in the order tried. */
  reasons: readonly BackendReason[];
}

/** The ways to compute that are tried, fastest first: the native package is one way, whether or not a GPU computes in it. */
export const candidates = ["node-gpu", "webgpu", "wasm", "cpu"] as const;
export type Candidate = (typeof candidates)[number];

/** tfjs's own name of each. */
export const tfjsNames: Readonly<Record<Candidate, string>> = {
  "node-gpu": "tensorflow",
  webgpu: "webgpu",
  wasm: "wasm",
  cpu: "cpu",
};

/** The candidate that a backend came from, or that is meant. */
export function candidateOf(name: BackendName | "native"): Candidate {
  return name === "node-cpu" || name === "native" ? "node-gpu" : name;
}
