import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { hashApiKey, readKeyRecords } from "@residua/local-server";
import type { Output } from "./output.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua make-key`. */
export interface MakeKeyOptions {
  id: string;
  file?: string;
}

/** `residua make-key`: the key is printed, once; a key file only ever holds its record. */
export async function makeKey({ id, file }: MakeKeyOptions, { output }: { output: Output }): Promise<void> {
  const key = `residua-${randomBytes(32).toString("base64url")}`;
  const record = hashApiKey(key, { id });
  const before = file !== undefined && existsSync(file) ? await readKeyRecords(file) : [];
  if (before.some((other) => other.id === id)) {
    throw new UsageError(`${file} has a key of ${id} already; give another id, or take that record out`);
  }
  const keys = await readKeyRecords([...before, record]);
  if (file !== undefined) {
    await writeFile(`${file}.tmp`, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600 });
    await rename(`${file}.tmp`, file);
  }
  const where = file === undefined ? JSON.stringify(record) : `its record is in ${file}`;
  output.result({ key, record }, `${key}\n${where}`);
}
