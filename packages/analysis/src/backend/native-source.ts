import { ResiduaError } from "@residua/lens";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { NativeFile } from "./native-recipe.ts";

/** Files that an error names; a variant has up to 16. */
const mostNamed = 5;

/**
 * Whether a folder holds these files, each of its size; checksums are compared when a file is used. All that are not there are named at
 * once. Throws ResiduaError `backend_file_missing`, `backend_checksum`.
 */
export function checkNativeSource(from: string, files: readonly NativeFile[]): void {
  if (files.length === 0) return;
  const folder = statSync(from, { throwIfNoEntry: false });
  const names = listed(files);
  if (folder === undefined) throw missing(`${from} does not exist: give a folder that holds ${names}`, from);
  if (!folder.isDirectory())
    throw missing(`${from} is a file and no folder: give a folder that holds ${names}`, from);
  const found = files.map((file) => ({
    file,
    at: statSync(join(from, file.file), { throwIfNoEntry: false }),
  }));
  const lacking = found.filter(({ at }) => at?.isFile() !== true).map(({ file }) => file);
  if (lacking.length > 0) {
    const count = `${lacking.length} of ${files.length} files`;
    throw missing(`${from} lacks ${count}: put ${listed(lacking)} into it, or leave --from out`, from);
  }
  const wrong = found.filter(({ file, at }) => at?.size !== file.bytes);
  if (wrong.length === 0) return;
  const faults = wrong.map(({ file, at }) => `${file.file} has ${at?.size} bytes in place of ${file.bytes}`);
  throw new ResiduaError(
    "backend_checksum",
    `not the files that are pinned: ${shortened(faults)}. Fetch them again into ${from}.`,
    { from, files: wrong.map(({ file }) => file.file) },
  );
}

const missing = (message: string, from: string) =>
  new ResiduaError("backend_file_missing", message, { from });

const listed = (files: readonly NativeFile[]) =>
  shortened(files.map(({ file, requirement, tool }) => `${file} (${requirement}, by ${tool})`));

function shortened(items: readonly string[]): string {
  const more = items.length - mostNamed;
  return `${items.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
