import { DatasetError } from "../dataset/dataset-error.ts";

/** A full disk, as it is told where what is there is gone on with: other writers begin anew. Other errors pass unchanged. */
export function collectionGoesOn(error: unknown, kept: string): unknown {
  // One that was foreseen has no cause, and wrote nothing.
  if (!(error instanceof DatasetError) || error.code !== "disk_full" || error.cause === undefined)
    return error;
  const { path, found, expected, cause } = error;
  const advice = `Free some space and run the same collection again: it goes on after ${kept}.`;
  return new DatasetError("disk_full", { path, found, expected, advice, cause });
}
