import { FormatError } from "@residua/lens";
import { tableFromIPC } from "apache-arrow";
import { readFile } from "node:fs/promises";
import { arrowRows } from "./arrow-table.ts";
import type { SourceTable } from "./source-table.ts";

/** Arrow IPC, file or stream, not compressed. Throws FormatError. */
export async function readArrow(file: string, only?: ReadonlySet<string>): Promise<SourceTable> {
  const bytes = await readFile(file);
  return arrowRows(parseIpc(bytes, file), { file, only });
}

function parseIpc(bytes: Uint8Array, file: string) {
  try {
    return tableFromIPC(bytes);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    const packed = problem.includes("compress");
    throw new FormatError(
      packed ? "format_unsupported" : "format_invalid",
      packed
        ? `${file} is compressed Arrow, which is not read; write it with compression="uncompressed", or as Parquet`
        : `${file} is no Arrow IPC file or stream: ${problem}`,
      { file },
      { cause },
    );
  }
}
