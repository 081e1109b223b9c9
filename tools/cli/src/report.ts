import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeReport, reportInputSchema } from "@residua/analysis";
import * as z from "zod";
import type { CommandContext } from "./program.ts";
import { UsageError } from "./usage-error.ts";

/** `residua report`: renders a run's result.json into one offline HTML file. */
export async function reportCommand(
  options: { run: string; out?: string },
  { output }: CommandContext,
): Promise<void> {
  const file = join(options.run, "result.json");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${file} cannot be read (${error.code ?? error.message}); give the folder of a finished run`,
    );
  });
  const parsed = reportInputSchema.safeParse(parseJson(text, file));
  if (!parsed.success) throw new Error(`${file} is not a result:\n${z.prettifyError(parsed.error)}`);
  const out = options.out ?? join(options.run, "report.html");
  await writeReport(parsed.data, out);
  output.result({ report: out }, out);
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${file} is not JSON: it was cut or changed`);
  }
}
