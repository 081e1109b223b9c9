import { createHash } from "node:crypto";

/** SHA-256 of a document's content (all but its seal) as JSON, in hex. */
export function contentHash(content: object): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}
