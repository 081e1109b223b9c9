import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { compressZstd, decompressZstd, initZstd, zstdContentSize } from "../../src/api/zstd.ts";

beforeAll(initZstd);

test("any bytes come back from a frame that carries their number", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000 }), fc.integer({ min: 1, max: 40 }), (bytes, times) => {
      const whole = Buffer.concat(Array<Uint8Array>(times).fill(bytes));
      const frame = compressZstd(whole);
      expect(zstdContentSize(frame)).toBe(whole.length);
      expect(Buffer.from(decompressZstd(frame, whole.length, "x"))).toEqual(whole);
    }),
  );
});

test("a capture of the largest size fits", () => {
  const bytes = new Uint8Array(2 * 33_554_432);
  for (let i = 0; i < bytes.length; i += 97) bytes[i] = i % 251;
  const frame = compressZstd(bytes);
  expect(zstdContentSize(frame)).toBe(bytes.length);
  expect(Buffer.compare(decompressZstd(frame, bytes.length, "x"), bytes)).toBe(0);
});

test("whatever the bytes, the answer is the size asked for or a refusal", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat(300), (bytes, expected) => {
      for (const frame of [bytes, Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, ...bytes])]) {
        try {
          expect(decompressZstd(frame, expected, "x").length).toBe(expected);
        } catch (error) {
          expect(error).toMatchObject({ status: 400, code: "invalid_request" });
        }
      }
    }),
  );
});
