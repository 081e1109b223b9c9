import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { ServerError } from "./server-error.ts";

const hex = (bytes: number) =>
  z.string().regex(RegExp(`^[0-9a-f]{${2 * bytes}}$`), `${bytes} bytes in lower-case hexadecimal`);

const tokens = z.number().int().min(0);

/** What a key may be used for: POST completions (and their like), jobs, and what the models are. */
export const scopes = ["completions", "jobs", "models"] as const;
export type Scope = (typeof scopes)[number];

const keyRecordSchema = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, "1 to 64 letters, digits, dots, _ or -"),
  salt: hex(16),
  hash: hex(32),
  disabled: z.boolean().optional(),
  state: z.enum(["revoked", "suspended", "not_approved"]).optional(),
  scopes: z.array(z.enum(scopes)).optional(),
  budget: tokens.optional(),
  dailyBudget: tokens.optional(),
  monthlyBudget: tokens.optional(),
});

/** What a key file says of one key: the key itself is not in it. */
export interface KeyRecord {
  /** Names the key in files. */
  readonly id: string;
  /** 16 bytes in hexadecimal. */
  readonly salt: string;
  /** SHA-256 of the salt's bytes and the key's, in hexadecimal. */
  readonly hash: string;
  /** Refused with 401 `key_disabled`. */
  readonly disabled?: boolean | undefined;
  /** Refused with 401 `key_revoked`, `account_suspended` or `account_not_approved`. */
  readonly state?: "revoked" | "suspended" | "not_approved" | undefined;
  /** Anything else is refused with 403 `scope_denied`; default: all. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Tokens that the key may use in all; default: no limit. */
  readonly budget?: number | undefined;
  /** Tokens a day, in UTC. */
  readonly dailyBudget?: number | undefined;
  /** Tokens a month, in UTC. */
  readonly monthlyBudget?: number | undefined;
}

const keyFileSchema = z.strictObject({ keys: z.array(keyRecordSchema).min(1) });

/**
 * SHA-256 of salt and key. One round is enough for keys that are long and random; it would not be for
 * words that somebody chose.
 */
export function keyDigest(salt: string, key: string): Buffer {
  return createHash("sha256").update(Buffer.from(salt, "hex")).update(key).digest();
}

/** The record of a key for a key file, `{"keys": [record, …]}`. Make the key long and random. Throws ServerError `api_keys_invalid`. */
export function hashApiKey(key: string, fields: Omit<KeyRecord, "salt" | "hash">): KeyRecord {
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const message = `the key of ${fields.id} is empty, or has a character that a header cannot carry; give printable ASCII without spaces`;
    throw new ServerError("api_keys_invalid", message, { id: fields.id });
  }
  const salt = randomBytes(16).toString("hex");
  return { ...fields, salt, hash: keyDigest(salt, key).toString("hex") };
}

/** Reads and checks a key file or its records; `taken` ids are in use. Throws ServerError `api_keys_invalid`. */
export async function readKeyRecords(
  source: string | readonly KeyRecord[],
  taken: readonly string[] = [],
): Promise<readonly KeyRecord[]> {
  const fail = (problem: string, options?: ErrorOptions) =>
    new ServerError("api_keys_invalid", `apiKeys: ${problem}`, {}, options);
  let json: unknown = { keys: source };
  if (typeof source === "string") {
    try {
      json = JSON.parse(await readFile(source, "utf8"));
    } catch (cause) {
      // What JSON.parse says shows a piece of the file.
      if (cause instanceof SyntaxError) throw fail("the file is not JSON");
      throw fail("the file cannot be read", { cause });
    }
  }
  const parsed = keyFileSchema.safeParse(json);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join(".") || "file"}: ${message}`,
    );
    throw fail(problems.slice(0, 5).join("; "));
  }
  const { keys } = parsed.data;
  const ids = [...taken, ...keys.map(({ id }) => id)];
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw fail(`the id ${twice} is there twice; give each key its own`);
  return keys;
}
