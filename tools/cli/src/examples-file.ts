import { extname } from "node:path";
import { type Example, loadExamples } from "@residua/analysis";
import { FormatError, InvalidRequestError } from "@residua/lens";
import { UsageError } from "./usage-error.ts";

const endings = [".csv", ".tsv", ".parquet", ".arrow", ".arrows", ".feather", ".ipc", ".eval", ".json"];

/** Reads examples from a file in any format that its ending names, JSON lines else; an error names the line and the column. */
export async function readExamples(file: string): Promise<Example[]> {
  try {
    const named = endings.includes(extname(file).toLowerCase());
    return await loadExamples(file, named ? {} : { format: "jsonl" });
  } catch (error) {
    if (error instanceof FormatError) throw new UsageError(error.message);
    if (!(error instanceof InvalidRequestError)) throw error;
    const lines = error.issues.map(({ field, given, allowed }) => `${field}: ${given}; allowed: ${allowed}`);
    throw new UsageError(`${file}:\n${lines.join("\n")}`);
  }
}
