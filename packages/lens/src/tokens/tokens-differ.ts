import type { CapturedToken } from "../lens-types.ts";

/** Whether two tokens are known to differ: one may be known by its id alone, and the other by its text. */
export function tokensDiffer(a: CapturedToken | undefined, b: CapturedToken | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.id !== null && b.id !== null) return a.id !== b.id;
  return a.text !== null && b.text !== null && a.text !== b.text;
}
