import { setImmediate as nextTurn } from "node:timers/promises";
import { APIAbortError } from "@residua/client";

/** Lets others have a turn between two parts of a long computation. Throws APIAbortError. */
export async function takeTurn(signal: AbortSignal | undefined): Promise<void> {
  await nextTurn();
  if (signal?.aborted === true) throw new APIAbortError();
}
