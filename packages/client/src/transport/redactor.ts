/** Replaces secrets in text that may end up in an error. */
export type Redactor = (text: string) => string;

/** A redactor of these secrets, as they are and as JSON would escape them. The secrets stay in the closure. */
export function redactorOf(secrets: readonly string[]): Redactor {
  const hidden = new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]));
  hidden.delete("");
  const longestFirst = [...hidden].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}
