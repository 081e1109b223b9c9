import { ResiduaError } from "@residua/lens";
import { poolWorker, type PoolWorker } from "./pool-worker.ts";

/** A task's input; the buffers in `transfer` change hands instead of being copied. Shared buffers need no transfer. */
interface Sent<I> {
  readonly input: I;
  readonly transfer?: readonly ArrayBuffer[];
}

/** Worker threads that compute tasks by name. Threads start when they are needed and hold up no process while idle. */
export interface WorkerPool {
  readonly size: number;
  /**
   * Computes a task on the next free worker. `prepare` is called once a worker is free, so as many inputs exist as there are
   * workers. Rejects with the task's own error, ResiduaError `worker_died` or `worker_closed`, or the signal's reason: an
   * abort ends the computation at once, with its thread.
   */
  run<I, O>(
    name: string,
    prepare: () => Sent<I> | Promise<Sent<I>>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<O>;
  /** Ends all threads; what is under way or waits fails. */
  close(): Promise<void>;
}

/** `tasks`: address of the module whose default export holds the tasks by name. */
export function createWorkerPool({ size, tasks }: { size: number; tasks: URL }): WorkerPool {
  const workers = Array.from({ length: size }, () => poolWorker({ tasks: tasks.href }));
  const free = [...workers];
  const waiting: { take: (worker: PoolWorker) => void; refuse: (error: unknown) => void }[] = [];
  let closed = false;
  let jobs = 0;

  const closedError = () => new ResiduaError("worker_closed", "The worker pool is closed.");

  const take = async (signal?: AbortSignal): Promise<PoolWorker> => {
    const worker = free.pop();
    if (worker) return worker;
    let abort = (): void => undefined;
    const waited = new Promise<PoolWorker>((resolve, reject) => {
      const place = { take: resolve, refuse: reject };
      waiting.push(place);
      abort = () => {
        const at = waiting.indexOf(place);
        // It may have been given a worker a moment ago, of which its promise does not know yet.
        if (at < 0) return;
        waiting.splice(at, 1);
        reject(signal!.reason as Error);
      };
    });
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await waited;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  };

  const give = (worker: PoolWorker): void => {
    const next = waiting.shift();
    if (next) next.take(worker);
    else free.push(worker);
  };

  return {
    size,
    async run<I, O>(
      name: string,
      prepare: () => Sent<I> | Promise<Sent<I>>,
      { signal }: { signal?: AbortSignal | undefined } = {},
    ) {
      if (closed) throw closedError();
      signal?.throwIfAborted();
      const worker = await take(signal);
      try {
        const { input, transfer = [] } = await prepare();
        if (closed) throw closedError();
        const job = { id: jobs++, name, input };
        return (await worker.run(job, { transfer, signal })) as O;
      } finally {
        give(worker);
      }
    },
    async close() {
      closed = true;
      for (const { refuse } of waiting.splice(0)) refuse(closedError());
      await Promise.all(workers.map((worker) => worker.end(closedError())));
    },
  };
}
