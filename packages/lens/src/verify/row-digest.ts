import type { Tensor } from "../codec/tensor-codec.ts";

/** 64 bits of what a row holds (two rounds of MurmurHash3's 32-bit mixing). */
export function rowDigest(tensor: Tensor, start: number, end: number): string {
  const units =
    tensor.dtype === "float32"
      ? new Uint32Array(tensor.values.slice(start, end).buffer)
      : tensor.bits.subarray(start, end);
  let a = 0x9747b28c;
  let b = 0x3c6ef372;
  for (const unit of units) {
    a = mix(a, Math.imul(unit, 0xcc9e2d51));
    b = mix(b, Math.imul(unit + 1, 0x1b873593));
  }
  return `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`;
}

function mix(hash: number, word: number): number {
  const turned = hash ^ ((word << 15) | (word >>> 17));
  return (Math.imul((turned << 13) | (turned >>> 19), 5) + 0xe6546b64) | 0;
}
