import { DatasetError } from "../dataset/dataset-error.ts";
import type { CollectionPlan } from "./collection-plan.ts";

/** Refuses rows that the disk has no room for even by the least estimate. Throws DatasetError `disk_full`. */
export function checkPlan(folder: string, { diskBytes, freeBytes }: CollectionPlan): void {
  if (diskBytes === undefined || freeBytes === undefined || diskBytes.least <= freeBytes) return;
  throw new DatasetError("disk_full", {
    path: folder,
    found: `${freeBytes} bytes free`,
    expected: `at least ${diskBytes.least} bytes, for the rows alone`,
    advice: "Nothing was captured. Free some space, choose another disk, or take fewer layers or rows.",
  });
}
