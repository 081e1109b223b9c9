import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { storedBytes, type StoredArray, type StoredDtype } from "../../../src/formats/arrays/stored-array.ts";
import { storedFloats, storeFloats } from "../../../src/formats/arrays/stored-floats.ts";
import { openSafetensors, parseSafetensors } from "../../../src/formats/safetensors/read-safetensors.ts";
import { encodeSafetensors, writeSafetensors } from "../../../src/formats/safetensors/write-safetensors.ts";
import { fixtureBytes, fixturePath } from "../fixture.ts";
import { temporaryFile, temporaryFolder } from "../temporary-folder.ts";

const original = "safetensors/every-dtype.safetensors";

describe("files of the original writer", () => {
  it("are read, type by type", async () => {
    const file = await openSafetensors(fixturePath(original));
    expect(file.metadata).toEqual({ "made by": 'safetensors, "0.8.0"' });
    const floats = async (name: string) => storedFloats(await file.read(name));
    expect(await floats("f64")).toEqual(Float32Array.of(1 / 3, -2));
    expect(await floats("f32")).toEqual(Float32Array.from([0, 1, 2, 3, 4, 5], (x) => Math.fround(x) / 7));
    expect(await file.read("bf16")).toMatchObject({ dtype: "bfloat16", shape: [3] });
    expect((await floats("bf16"))[2]).toBe(Infinity);
    expect(await floats("f16")).toEqual(Float32Array.of(65504, 2 ** -24));
    expect(await floats("scalar")).toEqual(Float32Array.of(0.25));
    expect((await file.read("scalar")).shape).toEqual([]);
    expect((await file.read("empty")).shape).toEqual([0, 4]);
    expect(new BigInt64Array((await file.read("i64")).bytes.slice().buffer)).toEqual(
      BigInt64Array.of(-(2n ** 53n), 2n ** 53n),
    );
    expect([...(await file.read("bool")).bytes]).toEqual([1, 0]);
    expect(storedFloats(await file.readRows("f32", 1, 1))).toEqual((await floats("f32")).slice(3));
    await expect(file.read("f33")).rejects.toMatchObject({ code: "format_missing" });
    await expect(file.readRows("f32", 1, 2)).rejects.toMatchObject({ code: "format_missing" });
    await file.close();
  });

  it("are written again byte for byte", () => {
    const bytes = fixtureBytes(original);
    const { tensors, metadata } = parseSafetensors(bytes);
    expect(encodeSafetensors(tensors, metadata)).toEqual(bytes);
  });
});

/** A file whose header is this text, with what the padding adds, and so many bytes of data. */
function file(header: unknown, dataBytes: number, padding = "", announced?: bigint): Uint8Array {
  const json = new TextEncoder().encode(
    (typeof header === "string" ? header : JSON.stringify(header)) + padding,
  );
  const bytes = new Uint8Array(8 + json.length + dataBytes);
  new DataView(bytes.buffer).setBigUint64(0, announced ?? BigInt(json.length), true);
  bytes.set(json, 8);
  return bytes;
}
const entry = (shape: number[], begin: number, end: number, dtype = "F32") => ({
  dtype,
  shape,
  data_offsets: [begin, end],
});

describe("J10: headers", () => {
  it.each([
    ["spaces", "     "],
    ["NUL bytes", "\0\0\0"],
    ["nothing", ""],
  ])("padded with %s are read", (_, padding) => {
    const { tensors } = parseSafetensors(file({ a: entry([1], 0, 4) }, 4, padding));
    expect([...tensors.keys()]).toEqual(["a"]);
  });

  it("are written with spaces to a multiple of 8, and every tensor is aligned even after an odd U8", () => {
    const array = (dtype: StoredDtype, count: number): StoredArray => ({
      dtype,
      shape: [count],
      bytes: new Uint8Array(count * storedBytes[dtype]),
    });
    const bytes = encodeSafetensors(
      new Map([
        ["a", array("uint8", 3)],
        ["b", array("float32", 1)],
      ]),
    );
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    expect(length % 8).toBe(0);
    expect(bytes.subarray(8, 8 + length).findLast((byte) => byte !== 0x20)).toBe("}".charCodeAt(0));
    expect(parseSafetensors(bytes).tensors.get("b")!.bytes.byteOffset % 4).toBe(0);
  });

  it("that begin tensors at odd bytes are read", () => {
    const bytes = file({ a: entry([1], 0, 1, "U8"), b: entry([1], 1, 5) }, 5);
    new DataView(bytes.buffer).setFloat32(bytes.length - 4, 2.5, true);
    expect(storedFloats(parseSafetensors(bytes).tensors.get("b")!)).toEqual(Float32Array.of(2.5));
  });

  it.each([
    ["format_truncated", "no header", new Uint8Array(7)],
    ["format_too_large", "at most 100000000", file({}, 0, "", 100_000_001n)],
    ["format_too_large", "at most", file({}, 0, "", 2n ** 64n - 1n)],
    ["format_truncated", "announces a header of 99 bytes", file({}, 0, "", 99n)],
    ["format_invalid", "not JSON", file("{", 0)],
    ["format_invalid", "begin with {", file("", 0)],
    ["format_invalid", "begin with {", file("[]", 0)],
    ["format_invalid", "begin with {", file(" {}", 0)],
    ["format_invalid", "malformed", file({ a: null }, 0)],
    ["format_invalid", "malformed", file({ a: entry([-1], 0, 4) }, 4)],
    ["format_invalid", "malformed", file({ a: entry([1.5], 0, 6) }, 6)],
    ["format_invalid", "malformed", file({ a: entry([1], -4, 0) }, 4)],
    ["format_invalid", "malformed", file({ a: { ...entry([1], 0, 4), more: 1 } }, 4)],
    ["format_invalid", "metadata", file({ __metadata__: { a: 1 } }, 0)],
    ["format_too_large", "bytes", file({ a: entry([2 ** 40, 2 ** 40], 0, 4) }, 4)],
    ["format_unsupported", "type F31", file({ a: entry([1], 0, 4, "F31") }, 4)],
    ["format_unsupported", "type constructor", file({ a: entry([1], 0, 4, "constructor") }, 4)],
    ["format_invalid", "4 bytes where it takes 8", file({ a: entry([2], 0, 4) }, 4)],
    ["format_truncated", "announces 8 bytes of data, and has 7", file({ a: entry([2], 0, 8) }, 7)],
    ["format_invalid", "overlap", file({ a: entry([2], 0, 8), b: entry([2], 4, 12) }, 12)],
    ["format_invalid", "overlap", file({ a: entry([1], 0, 4), b: entry([1], 0, 4) }, 4)],
    ["format_invalid", "gap", file({ a: entry([1], 4, 8) }, 8)],
    ["format_invalid", "1 bytes after its last tensor", file({ a: entry([1], 0, 4) }, 5)],
    [
      "format_invalid",
      "key twice",
      file(
        '{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\\u0061":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}',
        1,
      ),
    ],
    [
      "format_invalid",
      "key twice",
      file('{"a":{"dtype":"U8","shape":[1],"shape" :[1],"data_offsets":[0,1]}}', 1),
    ],
  ])("refused with %s: %s", async (code, problem, bytes) => {
    const refusal = expect.objectContaining({
      code,
      message: expect.stringContaining(problem) as string,
    }) as Error;
    expect(() => parseSafetensors(bytes)).toThrow(refusal);
    await expect(openSafetensors(await temporaryFile(bytes))).rejects.toEqual(refusal);
  });

  it("whose texts hold quotes and colons have no key twice", () => {
    const metadata = { 'a":': '":"', "a\\": '\\":', é: "\u{1f600}" };
    expect(parseSafetensors(encodeSafetensors(new Map(), metadata)).metadata).toEqual(metadata);
  });
});

describe("round trips", () => {
  const arrays = fc
    .record({
      dtype: fc.constantFrom(...(Object.keys(storedBytes) as StoredDtype[])),
      shape: fc.array(fc.nat(4), { maxLength: 4 }),
      seed: fc.nat(255),
    })
    .map(({ dtype, shape, seed }): StoredArray => {
      const size = shape.reduce((a, b) => a * b, storedBytes[dtype]);
      return { dtype, shape, bytes: Uint8Array.from({ length: size }, (_, i) => (i * 31 + seed) & 255) };
    });
  const names = fc.string({ unit: "grapheme" }).filter((name) => name !== "__metadata__");
  const files = fc.uniqueArray(fc.tuple(names, arrays), { selector: ([name]) => name, maxLength: 6 });
  const metadata = fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true });

  it("give every name, type, shape, byte and text back (property)", () => {
    fc.assert(
      fc.property(files, metadata, (list, texts) => {
        const read = parseSafetensors(encodeSafetensors(new Map(list), texts));
        expect(new Map(read.tensors)).toEqual(new Map(list));
        expect(read.metadata).toEqual(texts);
      }),
      { examples: [[[], JSON.parse('{"__proto__":"a"}') as Record<string, string>]] },
    );
  });

  it("a file that lost bytes anywhere is refused or gives less, never other numbers (property)", () => {
    fc.assert(
      fc.property(files, fc.nat(), (list, cut) => {
        const whole = encodeSafetensors(new Map(list));
        const part = whole.subarray(0, cut % whole.length);
        expect(() => parseSafetensors(part)).toThrow(
          expect.objectContaining({ code: "format_truncated" }) as Error,
        );
      }),
    );
  });

  it("tensors given in parts make the file of the original writer byte for byte; too few or too many bytes make none", async () => {
    const whole = fixtureBytes(original);
    const { tensors, metadata } = parseSafetensors(whole);
    const plans = [...tensors].map(([name, { dtype, shape }]) => ({ name, dtype, shape }));
    async function* parts(name: string, change = 0): AsyncGenerator<Uint8Array> {
      const { bytes } = tensors.get(name)!;
      const all = change > 0 ? Buffer.concat([bytes, new Uint8Array(change)]) : bytes;
      for (let at = 0; at < all.length + Math.min(change, 0); at++)
        yield await Promise.resolve(all.subarray(at, at + 1));
    }
    const path = join(await temporaryFolder(), "a.safetensors");
    await writeSafetensors(path, plans, (name) => parts(name), metadata);
    expect(new Uint8Array(await readFile(path))).toEqual(new Uint8Array(whole));
    for (const [change, problem] of [
      [-1, /takes \d+ bytes, \d+ are given/],
      [1, /more than that are given/],
    ] as const) {
      await expect(writeSafetensors(path, plans, (name) => parts(name, change), metadata)).rejects.toThrow(
        problem,
      );
    }
    expect(new Uint8Array(await readFile(path))).toEqual(new Uint8Array(whole));
  });

  it("through a file, one tensor at a time; a failed write leaves the old file and nothing beside it", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "a.safetensors");
    const tensor = storeFloats(Float32Array.of(1, 2), [2]);
    await writeSafetensors(path, [{ name: "a", ...tensor }], () => tensor, { k: "v" });
    expect(new Uint8Array(await readFile(path))).toEqual(
      encodeSafetensors(new Map([["a", tensor]]), { k: "v" }),
    );
    await writeFile(path, "old");
    const failing = writeSafetensors(path, [{ name: "a", dtype: "float32", shape: [3] }], () => tensor);
    await expect(failing).rejects.toMatchObject({ code: "format_invalid" });
    expect(await readFile(path, "utf8")).toBe("old");
  });

  it("refuses a name that is taken and bytes that do not fit the shape", () => {
    const tensor = storeFloats(Float32Array.of(1), [1]);
    expect(() => encodeSafetensors(new Map([["__metadata__", tensor]]))).toThrow("it is taken");
    expect(() => encodeSafetensors(new Map([["a", { ...tensor, shape: [2] }]]))).toThrow(
      "takes 8 bytes, 4 given",
    );
  });
});
