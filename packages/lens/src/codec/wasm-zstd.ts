import { createRequire } from "node:module";
import { dirname } from "node:path";
import type * as ZstdWasm from "@bokuweb/zstd-wasm";
import type { FrameDecoder } from "./frame-decoder.ts";
import { TensorError } from "./tensor-error.ts";

/** WebAssembly memory never shrinks: work over this gets an instance of its own, which is let go after it. */
const kept = 2 ** 24;

/** Its memory ends at 2 GiB, and a module that cannot get memory writes to address 0. */
const most = 1.75 * 2 ** 30;

let shared: Promise<typeof ZstdWasm> | undefined;

/** zstd in WebAssembly, which runs everywhere. */
export function wasmDecoder(): FrameDecoder {
  return {
    name: "wasm",
    takes: () => true,
    async decode(bytes, { contentSize }, limit) {
      const { decompress } = await instance(bytes.byteLength + (contentSize ?? limit));
      return decompress(bytes, { defaultHeapSize: limit });
    },
  };
}

/** One frame, level 3, which says its content size. */
export async function wasmCompress(bytes: Uint8Array): Promise<Uint8Array> {
  const { compress } = await instance(2 * bytes.byteLength);
  return compress(bytes, 3);
}

async function instance(needed: number): Promise<typeof ZstdWasm> {
  if (needed > most) {
    throw new TensorError(
      "tensor_size",
      `zstd in WebAssembly has room for ${most} bytes and this takes ${needed}; use Node 22.15 or later, or install @mongodb-js/zstd`,
      { needed, most },
    );
  }
  return needed > kept ? newInstance() : (shared ??= newInstance());
}

async function newInstance(): Promise<typeof ZstdWasm> {
  const module = ownCopy();
  await module.init();
  return module;
}

/**
 * A copy of the module that nobody else in the process has. Its `init` puts new memory under functions that hold on to
 * the old one, so whoever calls it second breaks decompression for both.
 */
function ownCopy(): typeof ZstdWasm {
  const require = createRequire(import.meta.url);
  const entry = require.resolve("@bokuweb/zstd-wasm");
  const ofModule = () => Object.entries(require.cache).filter(([path]) => path.startsWith(dirname(entry)));
  const shared = ofModule();
  for (const [path] of shared) delete require.cache[path];
  try {
    return require(entry) as typeof ZstdWasm;
  } finally {
    for (const [path] of ofModule()) delete require.cache[path];
    for (const [path, module] of shared) require.cache[path] = module;
  }
}
