import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import process from "node:process";
import { poolTransport } from "../transport/pool-transport.ts";
import { openJournalFile } from "./journal-file.ts";
import type { Platform } from "./platform.ts";

export const platform: Platform = {
  environment: (name) => process.env[name],
  defaultTransport: poolTransport,
  journals: {
    open: openJournalFile,
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    base64: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
  },
  warn: ({ code, message }) => process.emitWarning(message, { type: "ResiduaWarning", code }),
};
