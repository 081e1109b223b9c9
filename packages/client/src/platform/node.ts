import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import process from "node:process";
import { poolTransport } from "../transport/pool-transport.ts";
import { proxyFor } from "../transport/proxy.ts";
import { openJournalFile } from "./journal-file.ts";
import type { Platform } from "./platform.ts";

const environment = (name: string) => process.env[name];

/** Buffer's decoder takes the other alphabet too, and skips what is in neither: then fewer bytes come. */
function decodeBase64(characters: Uint8Array, into: Uint8Array): boolean {
  const text = bufferOf(characters).toString("latin1");
  if (text.includes("-") || text.includes("_")) return false;
  return bufferOf(into).write(text, "base64") === into.length;
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

export const platform: Platform = {
  environment,
  defaultTransport(settings) {
    const proxy = proxyFor(settings.origin, settings.proxy, environment);
    return { transport: poolTransport({ ...settings, proxy }), secrets: proxy?.secrets ?? [] };
  },
  journals: {
    open: openJournalFile,
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    base64: (bytes) => bufferOf(bytes).toString("base64"),
  },
  decodeBase64,
  warn: ({ code, message }) => process.emitWarning(message, { type: "ResiduaWarning", code }),
};
