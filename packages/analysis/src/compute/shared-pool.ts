import { availableParallelism } from "node:os";
import { createWorkerPool, type WorkerPool } from "./worker-pool.ts";

/** Idle threads hold a backend's memory: they go after this. */
const idleMs = 10_000;

/** The module of the package's own tasks, as this one runs: from sources or compiled. */
export const tasksUrl = new URL(
  `./worker-tasks${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

let pool: WorkerPool | undefined;
let users = 0;
let idle: NodeJS.Timeout | undefined;

/** Lends the process's own pool, of at least `size` workers: threads that have loaded tfjs serve the next one too. */
export async function withSharedPool<T>(size: number, use: (pool: WorkerPool) => Promise<T>): Promise<T> {
  clearTimeout(idle);
  if (pool && pool.size < size && users === 0) await closeShared();
  pool ??= createWorkerPool({
    size: Math.max(size, availableParallelism()),
    tasks: tasksUrl,
  });
  users++;
  try {
    return await use(pool);
  } finally {
    if (--users === 0) {
      idle = setTimeout(() => void closeShared(), idleMs);
      idle.unref();
    }
  }
}

async function closeShared(): Promise<void> {
  const closing = pool;
  pool = undefined;
  await closing?.close();
}
