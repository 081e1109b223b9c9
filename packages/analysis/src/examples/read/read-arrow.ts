import { FormatError } from "@residua/lens";
import { openArrow } from "../../files/arrow-file.ts";
import { readGroups } from "./read-groups.ts";
import type { SourceTable } from "./source-table.ts";

/** Arrow IPC, file or stream, not compressed, one batch after the other. Throws FormatError. */
export async function readArrow(file: string, only?: ReadonlySet<string>): Promise<SourceTable> {
  const opened = await openArrow(file).catch((cause: unknown) => notArrow(file, cause));
  return readGroups(opened, { file, only, refuse: (cause) => notArrow(file, cause) });
}

function notArrow(file: string, cause: unknown): never {
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
