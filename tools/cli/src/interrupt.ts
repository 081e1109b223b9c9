/** The reason of an abort that came from Ctrl-C or SIGTERM. */
export class InterruptError extends Error {
  override readonly name = "InterruptError";
  readonly code = "interrupted";
}

/** A signal that aborts on the first Ctrl-C or SIGTERM; a second one ends the process at once. */
export function createInterrupt(): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(130);
    if (process.stderr.isTTY) process.stderr.write("\n");
    console.error("residua: stopping (once more to stop at once) …");
    controller.abort(new InterruptError(`stopped by ${name}`));
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    dispose() {
      process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
    },
  };
}
