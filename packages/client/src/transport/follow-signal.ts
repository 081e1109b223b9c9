/** Aborts the controller when the signal does. The function returned ends that, so that nothing is left on a long-lived signal. */
export function followSignal(signal: AbortSignal | undefined, controller: AbortController): () => void {
  const abort = () => controller.abort();
  if (signal?.aborted) abort();
  else signal?.addEventListener("abort", abort, { once: true });
  return () => signal?.removeEventListener("abort", abort);
}
