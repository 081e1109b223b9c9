import { FormatError } from "@residua/lens";
import { tableFromIPC } from "apache-arrow";
import { readFile } from "node:fs/promises";
import { readParquet as parse } from "parquet-wasm";
import { arrowRows } from "./arrow-table.ts";
import type { SourceTable } from "./source-table.ts";

/** Parquet in any of its usual compressions. Throws FormatError. */
export async function readParquet(file: string, only?: ReadonlySet<string>): Promise<SourceTable> {
  const bytes = new Uint8Array(await readFile(file));
  let ipc: Uint8Array;
  try {
    ipc = parse(bytes).intoIPCStream();
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new FormatError("format_invalid", `${file} is no Parquet file: ${problem}`, { file }, { cause });
  }
  return arrowRows(tableFromIPC(ipc), file, only);
}
