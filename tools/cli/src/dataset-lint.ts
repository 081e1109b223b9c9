import { lint, openDataset, type DatasetLint } from "@residua/analysis";
import { CheckFailedError } from "./check-failed-error.ts";
import type { DatasetHealthOptions } from "./dataset-describe.ts";
import type { CommandContext } from "./make-command.ts";

/** Options of `residua dataset lint`. */
export interface DatasetLintOptions extends DatasetHealthOptions {
  labels?: string;
}

/** `residua dataset lint`: what would flatter or break a probe. Exit 3 when it finds an error. */
export async function lintDataset(
  { dataset, labels, bosTokenId }: DatasetLintOptions,
  { output, signal }: CommandContext,
): Promise<void> {
  const found = await lint(await openDataset(dataset), {
    signal,
    ...(labels !== undefined && { labels: labels.split(",").map((name) => name.trim()) }),
    ...(bosTokenId !== undefined && { bosTokenId }),
    onProgress: ({ done, total }) => output.count("layers", done, total),
  });
  output.result(found, `${dataset}\n${lintText(found)}`);
  const errors = found.findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0)
    throw new CheckFailedError(
      `${errors.length} of the findings are errors: ${[...new Set(errors.map(({ code }) => code))].join(", ")}`,
    );
}

/** Findings for a reader, and what could not be looked at. */
export function lintText({ findings, notChecked, rows, examples, labels }: DatasetLint): string {
  const width = Math.max(...findings.map(({ code }) => code.length), 0);
  const lines = findings.flatMap(({ severity, code, what, advice }) => [
    `${severity.padEnd(7)}  ${code.padEnd(width)}  ${what}`,
    `${" ".repeat(width + 11)}=> ${advice}`,
  ]);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const skipped = notChecked.map(
    ({ code, label, reason }) => `not checked: ${code}${label === null ? "" : ` of ${label}`}: ${reason}`,
  );
  return [
    ...lines,
    ...(lines.length > 0 ? [""] : []),
    `${errors} errors, ${findings.length - errors} warnings in ${rows} rows of ${examples} examples; labels: ${labels.join(", ") || "none"}`,
    ...skipped,
  ].join("\n");
}
