/**
 * The bytes where a typed array of `element` bytes can view them: the offset must be a multiple of it, and pooled Buffers'
 * often are not. Bytes inside a much larger buffer are copied too, so that a view does not keep that alive.
 */
export function alignedBytes(
  bytes: Uint8Array,
  element: number,
): { buffer: ArrayBuffer; byteOffset: number } {
  const fits = bytes.byteOffset % element === 0 && bytes.buffer.byteLength <= bytes.byteLength + 64;
  const own = fits ? bytes : Uint8Array.from(bytes);
  return { buffer: own.buffer as ArrayBuffer, byteOffset: own.byteOffset };
}
