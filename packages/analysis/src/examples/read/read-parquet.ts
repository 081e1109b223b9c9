import { FormatError } from "@residua/lens";
import { openParquet } from "../../files/parquet/parquet-file.ts";
import { readGroups } from "./read-groups.ts";
import type { SourceTable } from "./source-table.ts";

/** Parquet in any of its usual compressions, one row group after the other. Throws FormatError. */
export async function readParquet(file: string, only?: ReadonlySet<string>): Promise<SourceTable> {
  const opened = await openParquet(file).catch((cause: unknown) => notParquet(file, cause));
  return readGroups(opened, { file, only, refuse: (cause) => notParquet(file, cause) });
}

function notParquet(file: string, cause: unknown): never {
  const problem = cause instanceof Error ? cause.message : String(cause);
  throw new FormatError("format_invalid", `${file} is no Parquet file: ${problem}`, { file }, { cause });
}
