import { SHARE_ENV, Worker } from "node:worker_threads";

/** What a worker is started with. */
export interface WorkerSetup {
  /** Address of the module whose default export holds the tasks by name. */
  readonly tasks: string;
}

const fromSources = import.meta.url.endsWith(".ts");

/** Starts a worker: from TypeScript sources (Deno runs them, Node needs a loader) or from what was compiled. */
export function startThread(setup: WorkerSetup): Worker {
  const deno = "Deno" in globalThis;
  const file = !fromSources ? "./worker-main.js" : deno ? "./worker-main.ts" : "./start-worker.mjs";
  const sourceFlags = ["--conditions=@residua/source", "--no-warnings"];
  return new Worker(new URL(file, import.meta.url), {
    workerData: setup,
    // A native library reads the process's own environment, which a worker's copy does not reach.
    env: SHARE_ENV,
    ...(fromSources && !deno && { execArgv: sourceFlags }),
  });
}
