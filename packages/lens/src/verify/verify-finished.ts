import type { Choice } from "@residua/client";
import { VerificationError } from "./verification-error.ts";

/** Reasons for which a server ended a request before it was done. */
const broken = ["abort", "error", "cancelled"];

/** Throws `finish_reason` for an answer that the server broke off: what it holds was not computed to the end. */
export function verifyFinished({ finish_reason: reason, index }: Choice): void {
  if (typeof reason !== "string" || !broken.includes(reason)) return;
  throw new VerificationError(
    "finish_reason",
    `the server broke the request off (finish_reason ${JSON.stringify(reason)}), so its capture is not used; ask again`,
    { finishReason: reason, choice: index },
  );
}
