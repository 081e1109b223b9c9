import type { SelfTestReport } from "@residua/lens";

const width = 15;

/** A self-test for a reader: each check with what was found, what a failed one means, and what was learnt. */
export function selfTestText({
  results,
  behaviours,
  changes,
  fingerprint,
  requests,
  seconds,
}: SelfTestReport): string {
  const lines = results.flatMap(({ code, status, title, detail, meaning }) => [
    `${code.padEnd(4)} ${status.padEnd(width)} ${title}`,
    `${" ".repeat(width + 6)}${detail}`,
    ...(status === "fail" ? [`${" ".repeat(width + 6)}=> ${meaning}`] : []),
  ]);
  const count = (status: string) => results.filter((result) => result.status === status).length;
  const counts = ["pass", "fail", "inconclusive", "not applicable"].map(
    (status) => `${count(status)} ${status}`,
  );
  const server = [
    fingerprint.profile,
    fingerprint.version && `vLLM ${fingerprint.version}`,
    fingerprint.plugin,
  ];
  const known = Object.entries(behaviours).map(([name, value]) => `${name}: ${String(value)}`);
  return [
    ...lines,
    "",
    `${counts.join(", ")}; ${requests} requests, ${seconds} s`,
    `server: ${server.filter(Boolean).join(", ")}; model ${fingerprint.model} (${fingerprint.checkpoint}), ${fingerprint.layers} layers`,
    `found: ${known.join(", ") || "nothing"}`,
    ...changes.map((change) => `from now on: ${change}`),
    `fingerprint: ${fingerprint.hash}`,
  ].join("\n");
}
