import * as tf from "@tensorflow/tfjs";
import { availableParallelism } from "node:os";
import { loadNative } from "./backend-native.ts";
import type { Backend, BackendName, BackendReason, Candidate } from "./backend-name.ts";
import { quickCheck } from "./numeric-suite/quick-check.ts";
import { startWebgpu } from "./start-webgpu.ts";
import { withoutRethrowing } from "./without-rethrowing.ts";

/** A backend that runs and computes rightly, or why there is none. */
export type Started =
  | (Pick<Backend, "name" | "device" | "threads"> & { reasons?: readonly BackendReason[] })
  | { reason: string };

/**
 * Starts one way to compute and tries it, unless `unchecked`. `asked` says that the caller named it: only then is a software
 * adapter taken.
 */
export async function startBackend(
  candidate: Candidate,
  { asked, unchecked = false }: { asked: boolean; unchecked?: boolean },
): Promise<Started> {
  quietBanner();
  try {
    const started = await start[candidate](asked);
    if ("reason" in started || unchecked) return started;
    const wrong = await quickCheck();
    return wrong === undefined ? started : { reason: `computes wrongly: ${wrong}` };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

const start: Record<Candidate, (asked: boolean) => Promise<Started>> = {
  "node-gpu": startNative,
  webgpu: startWebgpu,
  wasm: startWasm,
  cpu: startCpu,
};

async function startNative(): Promise<Started> {
  const outcome = await loadNative();
  if ("reason" in outcome) return outcome;
  const { whyNoGpu: reason } = outcome;
  if (reason === null) return { name: "node-gpu", device: "GPU, TensorFlow (CUDA)", threads: null };
  return {
    name: "node-cpu",
    device: "CPU, TensorFlow",
    threads: tensorflowThreads(),
    reasons: [{ name: "node-gpu", reason }],
  };
}

/** The package finds its wasm files beside itself, in Node and in Deno; tfjs has no threads there. */
/** One operation's threads: what TensorFlow is told in the environment, else one for each core. */
function tensorflowThreads(): number {
  const told = Number(process.env["TF_NUM_INTRAOP_THREADS"]);
  return Number.isInteger(told) && told > 0 ? told : availableParallelism();
}

async function startWasm(): Promise<Started> {
  await import("@tensorflow/tfjs-backend-wasm");
  if (!(await withoutRethrowing(() => tf.setBackend("wasm")))) return { reason: "WebAssembly did not start" };
  const simd = await tf.env().getAsync("WASM_HAS_SIMD_SUPPORT");
  const name: BackendName = "wasm";
  return { name, device: `CPU, WebAssembly ${simd ? "with" : "without"} SIMD, 1 thread`, threads: 1 };
}

async function startCpu(): Promise<Started> {
  if (!(await tf.setBackend("cpu"))) return { reason: "did not start" };
  return { name: "cpu", device: "CPU, plain JavaScript", threads: 1 };
}

/** The cpu backend advertises tfjs-node at its first use, on stderr. */
function quietBanner(): void {
  const cpu = tf.findBackend("cpu") as { firstUse?: boolean } | null;
  if (cpu) cpu.firstUse = false;
}
