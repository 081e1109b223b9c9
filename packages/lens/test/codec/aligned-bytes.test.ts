import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { alignedBytes } from "../../src/codec/aligned-bytes.ts";

const values = Float32Array.from({ length: 24 }, (_, k) => k / 8 - 1);

it("J9: a Buffer at any offset can be viewed", () => {
  const data = Buffer.from(values.buffer);
  for (let offset = 0; offset < 8; offset++) {
    const pooled = Buffer.alloc(offset + data.byteLength + 8);
    data.copy(pooled, offset);
    const { buffer, byteOffset } = alignedBytes(pooled.subarray(offset, offset + data.byteLength), 4);
    expect(new Float32Array(buffer, byteOffset, 24)).toEqual(values);
  }
});

it("C25: a view does not keep a pool alive, and a buffer of its own is not copied", () => {
  const pool = Buffer.alloc(8192);
  expect(alignedBytes(pool.subarray(0, 96), 4).buffer.byteLength).toBe(96);
  const own = new Uint8Array(96);
  expect(alignedBytes(own, 4).buffer).toBe(own.buffer);
});
