import { openArrow } from "../files/arrow-file.ts";
import { checkPath } from "../options/check-path.ts";
import { readingFile } from "./convert-errors.ts";
import { sumsKey } from "./rows-header.ts";
import type { TableFile } from "./table-file.ts";
import { tableSource, type ImportedSource, type ImportOptions } from "./table-source.ts";
import { checkOptions } from "../options/check-options.ts";
import { tableReading } from "./file-options.ts";

/** Opens the rows of an Arrow IPC file or stream that is not compressed; otherwise as `readParquet`. Throws DatasetError. */
export async function readArrow(path: string, options: ImportOptions = {}): Promise<ImportedSource> {
  checkPath(path, "path");
  checkOptions(tableReading, options, "Arrow options");
  return tableSource(await arrowTable(path), options);
}

/** An Arrow IPC file or stream as a table; a batch is read whole. */
export async function arrowTable(path: string): Promise<TableFile> {
  const file = await readingFile(path, "Arrow", () => openArrow(path));
  const { schema, groups, first, mentions } = file;
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  // Residua writes hashes behind the rows alone: another program copies all metadata before them.
  const hashed = first.has(sumsKey) ? "no" : "maybe";
  return {
    kind: "Arrow",
    path,
    schema,
    parts: [{ path, rows, metadata: schema.metadata, hashed, mentions }],
    groups,
    read: (group, what) => file.read(group, what),
  };
}
