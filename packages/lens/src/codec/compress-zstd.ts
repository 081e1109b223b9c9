import { nodeCompress } from "./node-zstd.ts";
import { wasmCompress } from "./wasm-zstd.ts";
import { zstdFrames } from "./zstd-frames.ts";

/** One zstd frame whose header has the content size: vLLM with vllm-lens answers 500 to any other. */
export async function compressZstd(bytes: Uint8Array): Promise<Uint8Array> {
  const frame = nodeCompress(bytes);
  // Deno leaves the size out.
  if (frame !== undefined && zstdFrames(frame)[0]?.contentSize === bytes.byteLength) return frame;
  return wasmCompress(bytes);
}
