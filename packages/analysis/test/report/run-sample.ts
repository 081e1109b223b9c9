import { readDocument } from "../../src/runs/run-document.ts";
import type { Run } from "../../src/runs/read-run.ts";
import { resultSamples } from "./result-samples.ts";

/** A run of documents as a folder would hold them. */
export function runOf(files: Record<string, string | object>, name = "a run"): Run {
  const run: Run = { name, documents: [], skipped: [] };
  for (const [file, content] of Object.entries(files)) {
    const found = readDocument({
      file,
      text: typeof content === "string" ? content : JSON.stringify(content),
    });
    if ("reason" in found) run.skipped.push(found);
    else run.documents.push(found);
  }
  return run;
}

/** One result of every kind. */
export const everyKind = (text?: string): Run =>
  runOf(
    Object.fromEntries(Object.entries(resultSamples(text)).map(([kind, result]) => [`${kind}.json`, result])),
  );
