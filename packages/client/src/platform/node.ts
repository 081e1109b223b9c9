import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import process from "node:process";
import { poolTransport } from "../transport/pool-transport.ts";
import { proxyFor } from "../transport/proxy.ts";
import { openJournalFile } from "./journal-file.ts";
import type { Platform } from "./platform.ts";

const environment = (name: string) => process.env[name];

export const platform: Platform = {
  environment,
  defaultTransport(settings) {
    const proxy = proxyFor(settings.origin, settings.proxy, environment);
    return { transport: poolTransport({ ...settings, proxy }), secrets: proxy?.secrets ?? [] };
  },
  journals: {
    open: openJournalFile,
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    base64: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
  },
  warn: ({ code, message }) => process.emitWarning(message, { type: "ResiduaWarning", code }),
};
