import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readRun, writeRunReport } from "@residua/analysis";
import type { CommandContext } from "./make-command.ts";
import { refuseOtherFile } from "./page-file.ts";
import { extractCommand } from "./report-extract.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua report`. */
export interface ReportCommandOptions {
  run?: string;
  out?: string;
  extract?: string;
}

/** `residua report`: renders the documents of a run folder into one offline HTML file, or gives them back from one. */
export async function reportCommand(options: ReportCommandOptions, context: CommandContext): Promise<void> {
  const { run: folder, extract, out } = options;
  if (extract !== undefined) {
    if (folder !== undefined) throw new UsageError("--extract: give a report or a run folder, not both");
    return extractCommand({ file: extract, ...(out !== undefined && { out }) }, context);
  }
  if (folder === undefined) throw new UsageError("run: nothing given; name the folder of a run");
  const { output } = context;
  const to = out ?? join(folder, "report.html");
  await refuseOtherFile(to);
  const run = await readRun(folder);
  for (const { file, reason } of run.skipped) output.progress(`skipped ${file}: ${reason}`);
  const report = await writeRunReport(run, to);
  const { byteLength } = await readFile(report);
  const documents = run.documents.map((document) => ({
    file: document.file,
    kind: document.type === "result" ? document.value.kind : document.type,
  }));
  output.result({ report, bytes: byteLength, documents, skipped: run.skipped }, report);
}
