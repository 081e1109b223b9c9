import { nativeDecoder } from "./native-zstd.ts";
import { nodeDecoder } from "./node-zstd.ts";
import { wasmDecoder } from "./wasm-zstd.ts";
import type { ZstdFrame } from "./zstd-frames.ts";

/** One way to decompress a zstd frame. */
export interface FrameDecoder {
  readonly name: "node" | "native" | "wasm";
  /** Whether it keeps within about twice the limit, whatever the frame is. */
  takes(frame: ZstdFrame, limit: number): boolean;
  /** `bytes` are the frame's alone; at most `limit` bytes are wanted. Rejects for a frame that is corrupt or larger. */
  decode(bytes: Uint8Array, frame: ZstdFrame, limit: number): Promise<Uint8Array>;
}

let chosen: readonly FrameDecoder[] | undefined;

/** Those that run here, the fastest first: Node's own, the optional native module, WebAssembly. */
export function frameDecoders(): readonly FrameDecoder[] {
  return (chosen ??= [nodeDecoder(), nativeDecoder(), wasmDecoder()].filter(
    (decoder) => decoder !== undefined,
  ));
}
