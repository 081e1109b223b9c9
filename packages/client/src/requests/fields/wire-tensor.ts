import * as z from "zod";
import { areFinite } from "./finite-numbers.ts";

/** Bytes of one number, by numpy's name of its type; bfloat16 travels as the bits of int16. */
const itemSize: Readonly<Record<string, number>> = {
  float16: 2,
  float32: 4,
  float64: 8,
  int16: 2,
  "<f2": 2,
  "<f4": 4,
  "<f8": 8,
  "<i2": 2,
};

/** A tensor as the wire carries it: base64 of C-order, little-endian bytes, all of them or as one zstd frame. */
export const wireTensor = z
  .strictObject({
    data: z.string(),
    dtype: z.literal(Object.keys(itemSize)),
    original_dtype: z.string().nullish(),
    shape: z.array(z.int().min(1)).min(2).max(3),
    compression: z.literal("zstd").nullish(),
  })
  .superRefine(({ data, dtype, shape, compression }, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", path: ["data"], message });
    const bytes = base64Bytes(data);
    if (bytes === undefined) return refuse("not base64");
    if (compression === "zstd") {
      return statesSize(data) ? undefined : refuse("a zstd frame that states its content size");
    }
    const wanted = shape.reduce((product, size) => product * size, itemSize[dtype] ?? 0);
    if (bytes !== wanted) refuse(`${bytes} bytes; [${shape.join(", ")}] of ${dtype} has ${wanted}`);
    // A server takes them, and they spoil the requests that read the same cache later.
    else if (!areFinite(data, dtype)) refuse("not all numbers are finite");
  });

/** A tensor as the wire carries it. `shape` is in C order; `data` is base64 of little-endian bytes. */
export type WireTensor = z.input<typeof wireTensor>;

/** How many bytes a base64 text holds; undefined when it is none. */
function base64Bytes(data: string): number | undefined {
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return undefined;
  return (data.length / 4) * 3 - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);
}

/** Servers take only zstd frames whose header has the content size (RFC 8878, 3.1.1.1.1). */
function statesSize(data: string): boolean {
  const head = Uint8Array.from(atob(data.slice(0, 8)), (character) => character.charCodeAt(0));
  const [a, b, c, d, descriptor = 0] = head;
  return a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd && ((descriptor >> 5) & 0b111) !== 0;
}
