import type { CarriedError } from "./carried-error.ts";

/** To a worker: compute the task `name`. */
export interface Job {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
}

/** From a worker, for the job of that number. */
export type Answer = { readonly id: number } & (
  { readonly output: unknown } | { readonly error: CarriedError }
);

/** What a task gives back; the buffers in `transfer` change hands instead of being copied. */
export interface TaskOutput<O> {
  readonly output: O;
  readonly transfer?: readonly ArrayBuffer[];
}

/** A computation that workers know by name. Its input and output are what structured cloning can carry. */
export type Task<I = never, O = unknown> = (input: I) => Promise<TaskOutput<O>>;
