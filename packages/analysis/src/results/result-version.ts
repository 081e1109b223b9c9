import { z } from "zod";

/**
 * The results of this package as plain JSON, checked by zod. What cannot be computed is `null` with its reason, never NaN:
 * every document survives `JSON.parse(JSON.stringify(…))` unchanged.
 */
export const resultSchemaVersion = 1;

export const versionSchema = z.literal(resultSchemaVersion);
