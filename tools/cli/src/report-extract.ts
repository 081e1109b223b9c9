import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { extractReport, writeFileAtomic } from "@residua/analysis";
import type { CommandContext } from "./make-command.ts";
import { UsageError } from "./usage-error.ts";

/** `residua report --extract`: writes the documents of a report into a new folder, byte for byte as they were. */
export async function extractCommand(
  { file, out }: { file: string; out?: string },
  { output }: CommandContext,
): Promise<void> {
  if (out === undefined)
    throw new UsageError("--out: nothing given; name a new folder for the documents of the report");
  const page = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `--extract: ${file} cannot be read (${error.code ?? error.message}); give a page that residua report wrote`,
    );
  });
  const { documents, leftOut, leftOutCount } = extractReport(page, file);
  const there = await readdir(out).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new UsageError(
      `--out: ${out} is no folder that can be written to (${error.code ?? error.message})`,
    );
  });
  if (there.length > 0) throw new UsageError(`--out: ${out} is not empty; name a new folder`);
  for (const { file: name, text } of documents) {
    const path = join(out, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFileAtomic(path, [new TextEncoder().encode(text)]);
  }
  const files = documents.map((document) => document.file);
  const missing =
    leftOutCount === 0
      ? []
      : [
          `${leftOutCount} documents had no room in the report: ${leftOut.map((left) => left.file).join(", ")}`,
        ];
  output.result(
    { folder: out, files, leftOut, leftOutCount },
    [...files.map((name) => join(out, name)), ...missing].join("\n"),
  );
}
