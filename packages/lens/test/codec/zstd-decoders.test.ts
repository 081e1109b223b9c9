import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compressZstd } from "../../src/codec/compress-zstd.ts";
import { type FrameDecoder, frameDecoders } from "../../src/codec/frame-decoder.ts";
import { zstdFrames } from "../../src/codec/zstd-frames.ts";
import { ramp } from "./codec-support.ts";
import { decoders, far, flipped, frameBytes as bytesOf, lawful, outcome, sha256 } from "./zstd-support.ts";

it("the optional module is there for these tests, and comes before WebAssembly", () => {
  expect(decoders.map(({ name }) => name)).toEqual(["native", "wasm"]);
  const names = frameDecoders().map(({ name }) => name);
  expect(names.slice(-2)).toEqual(["native", "wasm"]);
});

describe("J11: matches over 96 MiB back", () => {
  it.each(decoders)("$name reads them", async (decoder) => {
    expect(await outcome(decoder, far.frame, far.bytes)).toBe(far.sha256);
  });

  it("a window larger than the data is refused, up to 8 MiB not", async () => {
    const sizeless = bytesOf("no content size");
    for (const [exponent, code] of [
      [13, sha256(bytesOf("raw"))],
      [14, "tensor_frame"],
      [21, "tensor_frame"],
    ] as const) {
      const wide = sizeless.map((byte, i) => (i === 5 ? exponent << 3 : byte));
      expect(zstdFrames(wide)[0]?.window).toBe(2 ** (10 + exponent));
      for (const decoder of decoders) expect(await outcome(decoder, wide, 48)).toBe(code);
    }
  });
});

describe.each(decoders)("$name", (decoder) => {
  it("J12: takes several frames, skippable ones, and one without content size", async () => {
    const raw = sha256(bytesOf("raw"));
    for (const name of lawful) expect(await outcome(decoder, bytesOf(name), 48), name).toBe(raw);
    const skippable = Uint8Array.of(0x5f, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2);
    const many = [...skippable, ...bytesOf("two frames"), ...skippable];
    expect(await outcome(decoder, Uint8Array.from(many), 48)).toBe(raw);
    expect(await outcome(decoder, skippable, 0)).toBe(sha256(new Uint8Array(0)));
    expect(await outcome(decoder, skippable, 48)).toBe("tensor_size");
  });

  it("J12: refuses more frames than a tensor can have, and sizes that do not add up, before decoding", async () => {
    const empty = Buffer.from("KLUv/SAAAQAA", "base64");
    expect(await outcome(decoder, Buffer.concat([bytesOf("plain"), empty]), 48)).toBe(sha256(bytesOf("raw")));
    let calls = 0;
    const counting: FrameDecoder = {
      ...decoder,
      decode: (...given) => {
        calls++;
        return decoder.decode(...given);
      },
    };
    const many = Buffer.concat(Array<Uint8Array>(2 ** 16 + 1).fill(empty));
    expect(await outcome(counting, many, 48)).toBe("tensor_frame");
    const twice = Buffer.concat([bytesOf("plain"), bytesOf("plain")]);
    for (const size of [47, 49, 95, 97]) expect(await outcome(counting, twice, size)).toBe("tensor_size");
    expect(calls).toBe(0);
    const unsaid = Buffer.concat([bytesOf("plain"), bytesOf("no content size")]);
    expect(await outcome(counting, unsaid, 47)).toBe("tensor_size");
    expect(calls).toBe(0);
  });

  it("never takes other bytes than those that a checksum vouches for (property)", async () => {
    const checked = bytesOf("checksum");
    const raw = sha256(bytesOf("raw"));
    const change = fc.tuple(fc.nat(checked.length - 1), fc.integer({ min: 0, max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 4 }), fc.nat(8), async (changes, cut) => {
        const whole = changes.reduce<Uint8Array>((bytes, [at, flip]) => flipped(bytes, at, flip), checked);
        const came = await outcome(decoder, whole.subarray(0, whole.length - cut), 48);
        // A header may lose its checksum with the flag: then the length is all that is certain.
        if (came !== raw && ((whole[4] ?? 0) & 4) !== 0)
          expect(came).toMatch(/^tensor_(size|frame|truncated)$/);
        else expect(came).toMatch(/^([0-9a-f]{64}|tensor_(size|frame|truncated))$/);
      }),
      { numRuns: 400 },
    );
  });
});

describe("compressZstd", () => {
  it("says the content size, which the server needs, and comes back (property)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        const frame = await compressZstd(bytes);
        expect(zstdFrames(frame)).toMatchObject([{ contentSize: bytes.length }]);
        for (const decoder of decoders)
          expect(await outcome(decoder, frame, bytes.length)).toBe(sha256(bytes));
      }),
      { numRuns: 50 },
    );
  });
});

it("the ramp of the fixtures is what they hold", () => {
  expect(bytesOf("raw").byteLength).toBe(2 * ramp.length);
});
