import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ModelFolderError } from "../src/engine-error.ts";
import { parseGgufHeader } from "../src/gguf-header.ts";
import { u32, u64, f32, f64, bytesOf, text, gguf, tensor, entry } from "./gguf-bytes.ts";

const parse = (bytes: Uint8Array, fileBytes = bytes.length) => parseGgufHeader(bytes, fileBytes, "a.gguf");

test("every type of value, and tensors at their place in the file", () => {
  const bytes = gguf({
    entries: [
      entry("u8", 0, [255]),
      entry("i8", 1, [255]),
      entry("u16", 2, [1, 2]),
      entry("i16", 3, [255, 255]),
      entry("u32", 4, u32(2 ** 32 - 1)),
      entry("i32", 5, u32(2 ** 32 - 2)),
      entry("f32", 6, f32(0.1)),
      entry("bool", 7, [1]),
      entry("text", 8, text("Ġ🌍")),
      entry("texts", 9, [...u32(8), ...u64(2), ...text("a"), ...text("")]),
      entry("numbers", 9, [...u32(1), ...u64(3), 1, 0, 255]),
      entry("u64", 10, u64(2 ** 40)),
      entry("huge", 10, u64(2n ** 64n - 1n)),
      entry("i64", 11, u64(2n ** 64n - 5n)),
      entry("f64", 12, f64(0.1)),
      entry("general.alignment", 4, u32(64)),
    ],
    tensors: [tensor("b", [32, 2], 8, 64), tensor("a", [3], 0, 0)],
    alignment: 64,
    data: 64 + 68,
  });
  const header = parse(bytes)!;
  expect(Object.fromEntries(header.metadata)).toEqual({
    u8: 255,
    i8: -1,
    u16: 513,
    i16: -1,
    u32: 2 ** 32 - 1,
    i32: -2,
    f32: Math.fround(0.1),
    bool: true,
    text: "Ġ🌍",
    texts: ["a", ""],
    numbers: [1, 0, -1],
    u64: 2 ** 40,
    huge: 2n ** 64n - 1n,
    i64: -5,
    f64: 0.1,
    "general.alignment": 64,
  });
  const dataStart = bytes.length - 64 - 68;
  expect([...header.tensors]).toEqual([
    ["a", { format: "F32", shape: [3], begin: dataStart, bytes: 12 }],
    ["b", { format: "Q8_0", shape: [2, 32], begin: dataStart + 64, bytes: 68 }],
  ]);
  // With any part of the header only, more is asked for.
  const headerEnd = dataStart - 63;
  for (let length = 0; length < headerEnd; length += 7) {
    expect(parse(bytes.subarray(0, length), bytes.length)).toBeNull();
  }
});

describe("refused", () => {
  const one = (...tensors: number[][]) => gguf({ tensors, data: 1024 });
  const keys = (...entries: number[][]) => gguf({ entries });
  test.each([
    ["asks for 4 bytes from byte 0 of 3", Uint8Array.of(71, 71, 85)],
    ["does not begin with GGUF", Uint8Array.from([...bytesOf("GGML"), ...u32(3), ...u64(0), ...u64(0)])],
    ["is GGUF version 1;", gguf({ version: 1 })],
    ["is GGUF version 50331648; versions 2 and 3, little-endian", gguf({ version: 0x03000000 })],
    ["announces 18446744073709551615 tensors", gguf({ tensorCount: 2n ** 64n - 1n })],
    ["announces 70000 keys", gguf({ keyCount: 70_000, data: 100_000 })],
    ["announces 1000 keys", gguf({ keyCount: 1000 })],
    ["bytes of text", keys([...u64(2 ** 50), 1])],
    ["bytes of text", keys(entry("a", 8, u64(2n ** 63n)))],
    ['announces 4294967296 values of "a"', keys(entry("a", 9, [...u32(8), ...u64(2 ** 32)]))],
    ['announces 1000 values of "a"', keys(entry("a", 9, [...u32(12), ...u64(1000)]))],
    ["array of arrays", keys(entry("a", 9, [...u32(9), ...u64(1), ...u32(0), ...u64(0)]))],
    ['"a" has the unknown type 13', keys(entry("a", 13, [0]))],
    ['"a" has the unknown type 77', keys(entry("a", 9, [...u32(77), ...u64(1), 0]))],
    ["not UTF-8", keys(entry("a", 8, [...u64(1), 0xff]))],
    ['has the key "a" twice', keys(entry("a", 0, [1]), entry("a", 0, [1]))],
    ["has the alignment 0", keys(entry("general.alignment", 4, u32(0)))],
    ["has the alignment 48", keys(entry("general.alignment", 4, u32(48)))],
    ["has the alignment x", keys(entry("general.alignment", 8, text("x")))],
    ["has the alignment 131072", keys(entry("general.alignment", 4, u32(131072)))],
    ['tensor "a" has 0 dimensions', one(tensor("a", [], 0, 0))],
    ['tensor "a" has 5 dimensions', one(tensor("a", [1, 1, 1, 1, 1], 0, 0))],
    ["has the shape [0, 4]", one(tensor("a", [4, 0], 0, 0))],
    ["has the shape [2, 48]", one(tensor("a", [48, 2], 8, 0))],
    ["has the shape [", one(tensor("a", [2 ** 30, 2 ** 30], 0, 0))],
    ["numbers of tensor", one(tensor("a", [2 ** 50], 0, 0))],
    ["is not aligned to 32 bytes", one(tensor("a", [4], 0, 8))],
    ['tensor "b" overlaps', one(tensor("a", [32], 0, 0), tensor("b", [4], 0, 64))],
    ['tensor "a" is there twice', one(tensor("a", [4], 0, 0), tensor("a", [4], 0, 32))],
    ["bytes (truncated?)", one(tensor("a", [260], 0, 0))],
    ["bytes (truncated?)", one(tensor("a", [4], 0, 2 ** 40))],
  ])("%s", (problem, bytes) => {
    expect(() => parse(bytes)).toThrow(expect.objectContaining({ code: "weights_invalid" }) as Error);
    expect(() => parse(bytes)).toThrow(problem);
  });

  test.each([
    [13, "Q5_K"],
    [12, "Q4_K"],
    [99, "number 99"],
  ])("tensor format %s, by its name %s", (type, name) => {
    const bytes = gguf({ tensors: [tensor("a", [256], type, 0)], data: 1024 });
    expect(() => parse(bytes)).toThrow(expect.objectContaining({ code: "unsupported_model" }) as Error);
    expect(() => parse(bytes)).toThrow(`a.gguf: tensor "a" has the format ${name}; F32, F16, BF16, Q8_0`);
  });

  test("any damage to a header is refused or read, never another error", () => {
    const good = gguf({
      entries: [entry("a", 9, [...u32(8), ...u64(2), ...text("x"), ...text("yz")]), entry("b", 4, u32(1))],
      tensors: [tensor("t", [32, 2], 8, 0), tensor("u", [4], 0, 96)],
      data: 128,
    });
    const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(damage, fc.nat(good.length), (changes, cut) => {
        const bytes = good.slice(0, good.length - (cut % 3 === 0 ? cut : 0));
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        try {
          for (const { begin, bytes: size } of parse(bytes)!.tensors.values()) {
            expect(begin + size).toBeLessThanOrEqual(bytes.length);
          }
        } catch (error) {
          if (!(error instanceof ModelFolderError)) throw error;
        }
      }),
      { numRuns: 2000 },
    );
  });
});
