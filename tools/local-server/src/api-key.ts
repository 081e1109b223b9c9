import { createHash, timingSafeEqual } from "node:crypto";
import { ApiError } from "./api-error.ts";

/** Checks an Authorization header against the server's key in constant time. Throws ApiError 401. */
export function checkApiKey(header: string | undefined, apiKey: string): void {
  const sent = /^bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  if (sent === undefined) {
    throw new ApiError(401, "missing_authorization", "send the header Authorization: Bearer <key>");
  }
  // Hashes have one length, so the comparison says nothing about the key's.
  const digest = (text: string) => createHash("sha256").update(text).digest();
  if (!timingSafeEqual(digest(sent), digest(apiKey))) {
    throw new ApiError(401, "invalid_api_key", "this API key is not the server's");
  }
}
