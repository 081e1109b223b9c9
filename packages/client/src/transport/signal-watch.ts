/** Something that a signal ends. */
export interface Watcher {
  aborted(): void;
}

const watchers = new WeakMap<AbortSignal, Set<Watcher>>();

/** Tells the watcher when the signal aborts. Many share one listener, so that Node warns of no leak. */
export function watch(signal: AbortSignal, watcher: Watcher): void {
  const known = watchers.get(signal);
  if (known !== undefined) return void known.add(watcher);
  watchers.set(signal, new Set([watcher]));
  signal.addEventListener("abort", tellAll);
}

/** Nothing is left on the signal when its last watcher has gone. */
export function unwatch(signal: AbortSignal, watcher: Watcher): void {
  const known = watchers.get(signal);
  if (!known?.delete(watcher) || known.size > 0) return;
  watchers.delete(signal);
  signal.removeEventListener("abort", tellAll);
}

function tellAll(event: Event): void {
  const signal = event.target as AbortSignal;
  for (const watcher of [...(watchers.get(signal) ?? [])]) watcher.aborted();
}
