import { checkTensorArguments } from "../arguments/check-arguments.ts";
import { floats } from "../arguments/kinds.ts";
import { checkRoom } from "./check-room.ts";

/**
 * IEEE half-precision bits → float32 values, exactly. Any shape, flattened. `into`: as long as the bits, and filled. Throws
 * TensorError.
 */
export function float16ToFloat32(bits: Uint16Array, into?: Float32Array): Float32Array {
  const values = checkRoom("float16ToFloat32", bits, into);
  const words = new Uint32Array(values.buffer, values.byteOffset, bits.length);
  for (let i = 0; i < bits.length; i++) {
    const half = bits[i] ?? 0;
    const sign = (half & 0x8000) << 16;
    const exponent = (half >>> 10) & 0x1f;
    const fraction = half & 0x3ff;
    if (exponent === 0) values[i] = (sign === 0 ? 1 : -1) * fraction * 2 ** -24;
    else words[i] = sign | ((exponent === 0x1f ? 0xff : exponent + 112) << 23) | (fraction << 13);
  }
  return values;
}

/**
 * float32 values → half-precision bits, round to nearest, ties to even; from 65520 on overflow gives infinity, and NaN stays
 * NaN. Any shape, flattened.
 */
export function float32ToFloat16(values: Float32Array): Uint16Array {
  checkTensorArguments("float32ToFloat16", { values: [values, floats] });
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const bits = new Uint16Array(values.length);
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? 0;
    bits[i] = ((word >>> 16) & 0x8000) | halfOf(word & 0x7fff_ffff);
  }
  return bits;
}

/** The half-precision bits of a float32's, both without their sign. */
function halfOf(word: number): number {
  // NaN keeps the upper bits of its payload, and one bit set.
  if (word > 0x7f80_0000) return 0x7c00 | ((word >>> 13) & 0x3ff || 0x200);
  if (word >= 0x477f_f000) return 0x7c00;
  // Adding half of the last place, less one unless that is odd, carries where it must.
  if (word >= 0x3880_0000) return (word - 0x3800_0000 + 0xfff + ((word >>> 13) & 1)) >>> 13;
  // Subnormal: a whole number of 2^-24.
  const exponent = word >>> 23;
  if (exponent < 102) return 0;
  const fraction = (word & 0x7f_ffff) | 0x80_0000;
  const shift = 126 - exponent;
  return (fraction + (1 << (shift - 1)) - 1 + ((fraction >>> shift) & 1)) >>> shift;
}
