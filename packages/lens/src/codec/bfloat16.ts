import { checkTensorArguments } from "../arguments/check-arguments.ts";
import { floats } from "../arguments/kinds.ts";
import { checkRoom } from "./check-room.ts";
import { widenByVectors } from "./widen-bfloat16.ts";

/**
 * bfloat16 bits → float32 values, exactly (a bfloat16 is the upper half of a float32). Any shape, flattened. `into`: as
 * long as the bits, and filled; the bits may lie in the upper half of its memory. Throws TensorError.
 */
export function bf16ToFloat32(bits: Uint16Array, into?: Float32Array): Float32Array {
  const values = checkRoom("bf16ToFloat32", bits, into);
  // Written as integers: a signalling NaN that passes through a JS number may be changed.
  const words = new Int32Array(values.buffer, values.byteOffset, bits.length);
  if (widenByVectors(bits, words)) return values;
  widenByPairs(bits, words);
  return values;
}

/** The same by a loop. */
export function widenByPairs(bits: Uint16Array, words: Int32Array): void {
  // Two at a time from where there is a whole word of them: about twice as fast on Node 20.
  if (bits.length === 0) return;
  const begin = (bits.byteOffset >> 1) & 1;
  const pairs = new Int32Array(bits.buffer, bits.byteOffset + 2 * begin, (bits.length - begin) >> 1);
  const end = begin + 2 * pairs.length;
  if (begin === 1) words[0] = (bits[0] ?? 0) << 16;
  for (let i = 0, at = begin; i < pairs.length; i++, at += 2) {
    const pair = pairs[i] ?? 0;
    words[at] = pair << 16;
    words[at + 1] = pair & 0xffff_0000;
  }
  if (end < bits.length) words[end] = (bits[end] ?? 0) << 16;
}

/** float32 values → bfloat16 bits, round to nearest, ties to even; overflow gives infinity, and NaN stays NaN. */
export function float32ToBf16(values: Float32Array): Uint16Array {
  checkTensorArguments("float32ToBf16", { values: [values, floats] });
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const bits = new Uint16Array(values.length);
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? 0;
    if ((word & 0x7fff_ffff) > 0x7f80_0000) {
      // Rounding could carry a NaN into infinity or zero; cut it, and keep one fraction bit set.
      const upper = word >>> 16;
      bits[i] = (upper & 0x7f) === 0 ? upper | 0x40 : upper;
    } else {
      bits[i] = (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
    }
  }
  return bits;
}
