import { ResiduaError } from "@residua/lens";
import * as tf from "@tensorflow/tfjs";
import { loadNative } from "./backend-native.ts";
import { backendSelfCheck } from "./backend-self-check.ts";
import { withoutRethrowing } from "./without-rethrowing.ts";

/** `node-cpu` is the native package where no GPU computes: still some seven times WASM. */
export type BackendName = "node-gpu" | "node-cpu" | "wasm" | "cpu";

export interface Backend {
  name: BackendName;
  /** What computes, in words. */
  device: string;
  /** Why each backend before this one was not taken, in the order tried. */
  reasons: readonly { name: BackendName; reason: string }[];
}

export interface BackendOptions {
  /** Tried before the others. Default: `node-gpu`, then `wasm`, then `cpu`. */
  prefer?: "node-gpu" | "wasm" | "cpu";
}

type Candidate = "node-gpu" | "wasm" | "cpu";
type Outcome = { name: BackendName; device: string; reasons?: Backend["reasons"] } | { reason: string };

const order: readonly [Candidate, ...Candidate[]] = ["node-gpu", "wasm", "cpu"];
let chosen: { candidate: Candidate; backend: Promise<Backend> } | undefined;

/**
 * Chooses what tfjs computes on, once: later calls return the first choice, unless they prefer another backend. A GPU is
 * claimed only when one computes, and each backend must pass a numeric check before it is taken.
 * Throws ResiduaError `backend_unknown` and `backend_failed`.
 */
export function useBackend({ prefer }: BackendOptions = {}): Promise<Backend> {
  if (prefer !== undefined && !order.includes(prefer)) {
    const message = `backend ${JSON.stringify(prefer)} is not known; allowed: ${order.join(", ")}`;
    return Promise.reject(new ResiduaError("backend_unknown", message, { prefer, allowed: order }));
  }
  if (chosen !== undefined && (prefer ?? chosen.candidate) === chosen.candidate) return chosen.backend;
  const candidate = prefer ?? order[0];
  chosen = { candidate, backend: choose(candidate) };
  return chosen.backend;
}

async function choose(first: Candidate): Promise<Backend> {
  quietBanner();
  const reasons: { name: BackendName; reason: string }[] = order
    .slice(0, order.indexOf(first))
    .map((name) => ({ name, reason: `not tried: ${first} was preferred` }));
  for (const candidate of [first, ...order.filter((other) => other !== first)]) {
    const outcome = await attempt(candidate);
    if (!("reason" in outcome)) {
      return {
        name: outcome.name,
        device: outcome.device,
        reasons: [...reasons, ...(outcome.reasons ?? [])],
      };
    }
    reasons.push({ name: candidate, reason: outcome.reason });
  }
  const tried = reasons.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
  throw new ResiduaError("backend_failed", `no tfjs backend computes rightly here: ${tried}`, { reasons });
}

async function attempt(candidate: Candidate): Promise<Outcome> {
  try {
    const outcome = await start[candidate]();
    if ("reason" in outcome) return outcome;
    const wrong = await backendSelfCheck();
    return wrong === undefined ? outcome : { reason: `computes wrongly: ${wrong}` };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

const start: Record<Candidate, () => Promise<Outcome>> = {
  "node-gpu": startNative,
  wasm: startWasm,
  cpu: startCpu,
};

async function startNative(): Promise<Outcome> {
  const outcome = await loadNative();
  if ("reason" in outcome) return outcome;
  if (outcome.usingGpu) return { name: "node-gpu", device: "GPU, TensorFlow (CUDA)" };
  const reason = "loaded, but no GPU computes (isUsingGpuDevice is false)";
  return { name: "node-cpu", device: "CPU, TensorFlow", reasons: [{ name: "node-gpu", reason }] };
}

/** The package finds its wasm files beside itself, in Node and in Deno; tfjs has no threads there. */
async function startWasm(): Promise<Outcome> {
  await import("@tensorflow/tfjs-backend-wasm");
  if (!(await withoutRethrowing(() => tf.setBackend("wasm")))) return { reason: "WebAssembly did not start" };
  const simd = await tf.env().getAsync("WASM_HAS_SIMD_SUPPORT");
  return { name: "wasm", device: `CPU, WebAssembly ${simd ? "with" : "without"} SIMD, 1 thread` };
}

async function startCpu(): Promise<Outcome> {
  if (!(await tf.setBackend("cpu"))) return { reason: "did not start" };
  return { name: "cpu", device: "CPU, plain JavaScript" };
}

/** The cpu backend advertises tfjs-node at its first use, on stderr. */
function quietBanner(): void {
  const cpu = tf.findBackend("cpu") as { firstUse?: boolean } | null;
  if (cpu) cpu.firstUse = false;
}
