import type { CompletionRun } from "./begin-completion.ts";

export interface TiedRun {
  readonly generate: CompletionRun["generate"];
  /** To be called where the signal does not tell: a stream that its reader cancelled. */
  readonly closed: () => void;
}

/** A run that stops when the connection of its request closes. */
export function tieToConnection(run: CompletionRun, signal: AbortSignal): TiedRun {
  const closed = () => run.stop(new Error("the connection closed"));
  signal.addEventListener("abort", closed, { once: true });
  if (signal.aborted) closed();
  return {
    generate: (options) => run.generate(options).finally(() => signal.removeEventListener("abort", closed)),
    closed,
  };
}
