/** A counter of a server's metrics (the text of Prometheus), summed over its labels; undefined where it has none of that name. */
export function serverCounter(metrics: string, name: string): number | undefined {
  const counts = [...metrics.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"))].map(([, n]) =>
    Number(n),
  );
  return counts.length === 0 ? undefined : counts.reduce((a, b) => a + b, 0);
}
