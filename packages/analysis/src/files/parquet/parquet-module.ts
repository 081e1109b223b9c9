import { createRequire } from "node:module";
import type * as ParquetWasm from "parquet-wasm/node";
import { LayoutError } from "../file-read.ts";

export type ParquetModule = typeof ParquetWasm;

const require = createRequire(import.meta.url);

/**
 * Runs a synchronous call into parquet-wasm. Its Rust code ends a panic, or a memory that cannot grow, with a trap: the module's
 * memory is then in no known state, so it is thrown away and the next call starts a new one. Its asynchronous functions
 * trap inside a microtask, where nobody can catch it: they are not used. Throws LayoutError.
 */
export function withParquet<T>(use: (parquet: ParquetModule) => T): T {
  try {
    return use(require("parquet-wasm/node") as ParquetModule);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) {
      // The CommonJS entry instantiates the module when it is first required, in Node and in Deno.
      delete require.cache[require.resolve("parquet-wasm/node")];
      throw new LayoutError(`data that cannot be decoded (${error.message})`, { cause: error });
    }
    // Errors of the Rust code come as Error or as a string.
    throw new LayoutError(`data that cannot be decoded (${messageOf(error)})`, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
