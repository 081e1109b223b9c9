import type { DatasetError } from "../dataset/dataset-error.ts";
import { warnOnce } from "../options/warn.ts";

/** Says that rows which were there cannot be used: requests are sent, and paid, for them again. */
export function warnDamaged({ path, found, expected }: DatasetError): void {
  warnOnce(
    "damaged_rows",
    `${path}: ${found}; expected ${expected}. What is in it is not used, but captured again.`,
  );
}

/** The same of a folder that rows are taken from. */
export function warnNotReused(
  folder: string,
  damaged: readonly DatasetError[],
  { shards }: { shards: number },
): void {
  const [first] = damaged;
  if (first === undefined) return;
  warnOnce(
    "damaged_rows",
    `${folder}: ${damaged.length} of ${shards} shards cannot be reused, the first ${first.path}: ${first.found}; expected ` +
      `${first.expected}. What is in them is captured again.`,
  );
}
