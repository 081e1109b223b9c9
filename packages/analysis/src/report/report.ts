import { writeFileAtomic } from "../files/file-atomic.ts";
import { allowedWords } from "../options/allowed-words.ts";
import { checkPath } from "../options/check-path.ts";
import type { Run } from "../runs/read-run.ts";
import { reportInputSchema, type ReportInput } from "./report-schema.ts";
import { renderRun } from "./run-report.ts";

/**
 * The report of a first run as one HTML document, as `renderRun` makes it of a folder that holds `result.json` alone. The input is checked first. Throws
 * ZodError when it is not a `ReportInput`.
 */
export function renderReport(input: ReportInput): string {
  const value = reportInputSchema.parse(input, { error: allowedWords });
  const text = `${JSON.stringify(value)}\n`;
  return renderRun({
    name: value.title,
    documents: [{ type: "first-run", file: "result.json", text, value }],
    skipped: [],
  });
}

/** Renders the report and writes it under its final name in one step. Returns the path. Throws as `renderReport`, and DatasetError when the file cannot be written. */
export async function writeReport(input: ReportInput, to: string): Promise<string> {
  checkPath(to, "to");
  return writePage(renderReport(input), to);
}

/** Renders the report of a run folder, as `readRun` reads it, and writes it in one step. Returns the path. Throws DatasetError when the file cannot be written. */
export async function writeRunReport(run: Run, to: string): Promise<string> {
  checkPath(to, "to");
  return writePage(renderRun(run), to);
}

async function writePage(page: string, to: string): Promise<string> {
  await writeFileAtomic(to, [new TextEncoder().encode(page)]);
  return to;
}
