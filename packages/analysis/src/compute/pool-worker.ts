import { ResiduaError } from "@residua/lens";
import type { EventEmitter } from "node:events";
import type { Worker } from "node:worker_threads";
import { unpackError } from "./carried-error.ts";
import type { Answer, Job } from "./worker-messages.ts";
import { startThread, type WorkerSetup } from "./worker-thread.ts";

/** One worker that computes one job at a time. Its thread starts with the first job, and anew after one that ended it. */
export interface PoolWorker {
  run(
    job: Job,
    options: { transfer: readonly ArrayBuffer[]; signal?: AbortSignal | undefined },
  ): Promise<unknown>;
  /** Ends the thread; a job on it fails with `reason`. */
  end(reason: unknown): Promise<void>;
}

interface Current {
  readonly job: Job;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

export function poolWorker(setup: WorkerSetup): PoolWorker {
  let thread: Worker | undefined;
  let current: Current | undefined;

  /** The job fails, and the next one gets a new thread: what the old one still says is not heard. */
  const drop = (worker: Worker, fail: (job: Job) => unknown): void => {
    if (thread !== worker) return;
    thread = undefined;
    if (current) current.reject(fail(current.job));
  };

  const start = (): Worker => {
    const worker = startThread(setup);
    // Deno's types do not say that a worker is one.
    const events = worker as unknown as EventEmitter;
    events.on("message", (answer: Answer) => {
      if (thread !== worker || answer.id !== current?.job.id) return;
      if ("error" in answer) current.reject(unpackError(answer.error));
      else current.resolve(answer.output);
    });
    events.on("messageerror", (error: Error) =>
      drop(worker, (job) => died(job, `its answer could not be read: ${error.message}`, error)),
    );
    events.on("error", (error: Error) => drop(worker, (job) => died(job, error.message, error)));
    events.on("exit", (code: number) =>
      drop(worker, (job) => died(job, `its thread ended with code ${code}`)),
    );
    return worker;
  };

  const end = async (reason: unknown): Promise<void> => {
    const worker = thread;
    if (!worker) return;
    drop(worker, () => reason);
    await worker.terminate();
  };

  return {
    end,
    async run(job, { transfer, signal }) {
      signal?.throwIfAborted();
      const worker = (thread ??= start());
      // A kernel that computes hears nothing: only the end of its thread stops it.
      const abort = () => void end(signal!.reason);
      signal?.addEventListener("abort", abort, { once: true });
      // A process may end while workers are idle, not while one computes.
      worker.ref();
      try {
        return await new Promise<unknown>((resolve, reject) => {
          current = { job, resolve, reject };
          worker.postMessage(job, [...transfer]);
        });
      } finally {
        current = undefined;
        signal?.removeEventListener("abort", abort);
        worker.unref();
      }
    },
  };
}

/** A worker that dies is an error of its job, never a job that does not end. */
function died({ name }: Job, how: string, cause?: Error): ResiduaError {
  const error = new ResiduaError(
    "worker_died",
    `The worker thread that computed ${name} died: ${how}. Memory is the usual cause: use fewer workers (0 computes in ` +
      `this thread) or fewer rows.`,
    { task: name },
  );
  if (cause) error.cause = cause;
  return error;
}
