import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { openRegular } from "../files/file-read.ts";
import { checkPath } from "../options/check-path.ts";
import { readDocument, type RunDocument, type RunFile, type SkippedFile } from "./run-document.ts";
import { RunError } from "./run-error.ts";

/** What a run folder holds: documents in a fixed order, and the files that are none, each with the reason. */
export interface Run {
  /** The folder's own name. */
  name: string;
  documents: RunDocument[];
  skipped: SkippedFile[];
}

/** Longer documents are no results: a report of 2 MB could not hold their numbers. */
const longestFile = 64 << 20;
const mostFiles = 5000;

/**
 * Reads every `*.json` file of a folder and of the folders directly in it. A file that is no known document, or a damaged one, is skipped and
 * named. `also` gives documents that are not on disk yet; they go before files of the same name.
 * Throws RunError: `run_unreadable`, or `run_empty` where no document is found.
 */
export async function readRun(
  folder: string,
  { also = [] }: { also?: readonly RunFile[] } = {},
): Promise<Run> {
  checkPath(folder, "folder");
  const names = (await jsonNames(folder)).filter((name) => !also.some(({ file }) => file === name));
  const run: Run = { name: basename(resolve(folder)), documents: [], skipped: [] };
  const take = (found: RunDocument | SkippedFile): void => {
    if ("reason" in found) run.skipped.push(found);
    else run.documents.push(found);
  };
  for (const file of also) take(readDocument(file));
  for (const file of names) {
    const text = await textOf(join(folder, file));
    take(typeof text === "string" ? readDocument({ file, text }) : { file, ...text });
  }
  if (run.documents.length === 0) throw emptyRun(folder, run.skipped);
  run.documents.sort((a, b) => order(a.file, b.file));
  return run;
}

/** By code units: the same everywhere, whatever the reader's language. */
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function jsonNames(folder: string): Promise<string[]> {
  const unreadable = (found: string): RunError =>
    new RunError("run_unreadable", {
      path: folder,
      found,
      advice: "Give a folder that holds results, such as residua sweep --out writes them",
    });
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(`no folder that can be read (${error.code ?? error.message})`);
  });
  const names: string[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith(".")) continue;
    if (entry.isDirectory()) {
      const inner = await readdir(join(folder, entry.name)).catch(() => []);
      names.push(...inner.filter(isJson).map((name) => `${entry.name}/${name}`));
    } else if (isJson(entry.name)) names.push(entry.name);
  }
  if (names.length > mostFiles)
    throw unreadable(`${names.length} JSON files, more than the ${mostFiles} that a run may have`);
  return names.sort(order);
}

function isJson(name: string): boolean {
  return name.endsWith(".json") && !name.startsWith(".");
}

async function textOf(path: string): Promise<string | { reason: string }> {
  try {
    if ((await stat(path)).isDirectory()) return { reason: "a folder" };
    const { file, found } = await openRegular(path);
    try {
      if (found.size > longestFile)
        return { reason: `${found.size} bytes, over the ${longestFile} of a document` };
      return decode(await file.readFile());
    } finally {
      await file.close();
    }
  } catch (error) {
    return {
      reason: `cannot be read (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`,
    };
  }
}

function decode(bytes: Uint8Array): string | { reason: string } {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    return {
      reason: wide ? "UTF-16, as PowerShell's > writes it: write it as UTF-8, or with --out" : "not UTF-8",
    };
  }
}

function emptyRun(folder: string, skipped: readonly SkippedFile[]): RunError {
  const named = skipped.slice(0, 5).map(({ file, reason }) => `${file} (${reason})`);
  const rest = skipped.length > named.length ? ` and ${skipped.length - named.length} more` : "";
  return new RunError("run_empty", {
    path: folder,
    found:
      skipped.length === 0 ? "no JSON file in it" : `no result in it; skipped: ${named.join("; ")}${rest}`,
    advice: "Write results there first: residua sweep, steer, steer-search and selftest take --out FILE",
  });
}
