import { wellFormed } from "../shards/well-formed.ts";

/** Names of environment variables that hold what nobody else may read. */
const secretName = /key|token|secret|passw|credential/i;
/** Shorter values are words, such as a name of a key. */
const shortest = 8;

const forms: readonly [RegExp, string][] = [
  // Of known issuers.
  [
    /\b(?:sk|pk|rk|hf|ghp|gho|ghs|github_pat|glpat|gsk|xai|nvapi|r8|AKIA|AIza|xox[abprs])[-_]?[\w-]{16,}/g,
    "***",
  ],
  [/\b((?:Bearer|Basic)\s+)[^\s"',;]+/gi, "$1***"],
  // In addresses.
  [/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, "$1***@"],
  // By the name before it, in headers, JSON, queries and messages.
  [
    /((?:api[-_ ]?key|access[-_ ]?key|auth(?:orization)?|token|secret|password|passwd)\w*\\?["']?\s*[:=]\s*\\?["']?)(?!(?:Bearer|Basic)\s)[^\s"',;&\\]{8,}/gi,
    "$1***",
  ],
];

/**
 * A text that goes into a file, without keys: the values of this process's own secret environment variables, and what looks like a key.
 * Errors of lens and client name none; what a user's function throws may have anything in it.
 */
export function withoutSecrets(text: string): string {
  const own = Object.entries(process.env)
    .filter(([name, value]) => secretName.test(name) && (value?.length ?? 0) >= shortest)
    .flatMap(([, value = ""]) => [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(wellFormed(value)),
    ])
    .sort((a, b) => b.length - a.length);
  const rest = own.reduce((left, value) => left.replaceAll(value, "***"), text);
  return forms.reduce((left, [form, by]) => left.replace(form, by), rest);
}
