import { createHash } from "node:crypto";
import { decompressZstd } from "../../src/codec/decompress-zstd.ts";
import type { FrameDecoder } from "../../src/codec/frame-decoder.ts";
import { nativeDecoder } from "../../src/codec/native-zstd.ts";
import { wasmDecoder } from "../../src/codec/wasm-zstd.ts";
import { fixture, frames } from "./codec-support.ts";

export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
export const frameBytes = (name: string) => new Uint8Array(Buffer.from(frames[name] ?? "", "base64"));

/** Frames that hold the ramp. */
export const lawful = ["plain", "no content size", "checksum", "two frames", "skippable before"];

/** A frame with a match 97 MiB back, and the hash that the bytes had before they were packed. */
export const far = {
  frame: fixture("codec/far-match.zst"),
  ...(JSON.parse(fixture("codec/far-match.json").toString()) as { bytes: number; sha256: string }),
};

/** The decoders that every machine has that installs the development dependencies. */
export const decoders = [nativeDecoder(), wasmDecoder()].flatMap((decoder) => decoder ?? []);

/** The hash of what a decoder makes of it, or the error's code. WebAssembly has what the decoder does not take. */
export async function outcome(decoder: FrameDecoder, bytes: Uint8Array, expected: number): Promise<string> {
  return decompressZstd(bytes, expected, [decoder, wasmDecoder()]).then(sha256, (error: unknown) => {
    const { code } = error as { code?: string };
    return code ?? String(error);
  });
}

/** The frame with one byte changed. */
export function flipped(bytes: Uint8Array, at: number, flip: number): Uint8Array {
  return bytes.map((byte, i) => (i === at % bytes.length ? byte ^ flip : byte));
}
