import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFloatDtype, storedFloats, storeFloats } from "../../../src/formats/arrays/stored-floats.ts";
import { storedBytes, type StoredArray, type StoredDtype } from "../../../src/formats/arrays/stored-array.ts";
import { encodeNpy, parseNpy, readNpy, writeNpy } from "../../../src/formats/npy/npy.ts";
import { encodeNpz, parseNpz, readNpz, writeNpz } from "../../../src/formats/npy/npz.ts";
import { fixtureBytes, fixtureJson, fixturePath } from "../fixture.ts";
import { refusal } from "../refusal.ts";
import { temporaryFolder } from "../temporary-folder.ts";

interface Written {
  npy: string;
  shape: number[];
  values: (number | "Infinity")[];
}
const files = fixtureJson("npy/files.json") as Record<string, Written>;
const refused = fixtureJson("npy/refused.json") as Record<string, string>;
const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));

/** The numbers as doubles, whatever their type. */
function numbers({ dtype, bytes, ...rest }: StoredArray): number[] {
  if (isFloatDtype(dtype)) return [...storedFloats({ dtype, bytes, ...rest })];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read: Partial<Record<StoredDtype, (at: number) => number | bigint>> = {
    int64: (at) => view.getBigInt64(at, true),
    uint64: (at) => view.getBigUint64(at, true),
    int32: (at) => view.getInt32(at, true),
    uint32: (at) => view.getUint32(at, true),
    int16: (at) => view.getInt16(at, true),
    uint16: (at) => view.getUint16(at, true),
    int8: (at) => view.getInt8(at),
    uint8: (at) => view.getUint8(at),
    bool: (at) => view.getUint8(at),
  };
  const size = storedBytes[dtype];
  return Array.from({ length: bytes.length / size }, (_, i) => Number(read[dtype]!(i * size)));
}

describe("files of NumPy", () => {
  it.each(Object.entries(files))("%s is read", (_, { npy, shape, values }) => {
    const array = parseNpy(bytesOf(npy));
    expect(array.shape).toEqual(shape);
    expect(numbers(array)).toEqual(values.map((value) => Math.fround(Number(value))));
  });

  it.each(["cube", "scalar", "empty", "row", "half", "bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])(
    "%s is written byte for byte as NumPy writes it",
    (name) => {
      const bytes = bytesOf(files[name]!.npy);
      expect(encodeNpy(parseNpy(bytes))).toEqual(bytes);
    },
  );

  it("archives are read, stored and deflated", async () => {
    for (const name of ["arrays.npz", "compressed.npz"]) {
      const archive = await readNpz(fixturePath(`npy/${name}`));
      for (const entry of ["cube", "fortran", "big", "i8", "empty"]) {
        expect(numbers(archive.read(entry))).toEqual(files[entry]!.values);
      }
    }
    expect(numbers(parseNpz(fixtureBytes("npy/compressed.npz")).read("zeros"))).toEqual(
      Array(10_000).fill(0),
    );
  });

  it("C28: bfloat16, which NumPy writes as two bytes of no type, is read only when it is called so", () => {
    const bytes = bytesOf(refused["bfloat16"]!);
    expect(() => parseNpy(bytes)).toThrow('voidAs: "bfloat16"');
    expect(storedFloats(parseNpy(bytes, { voidAs: "bfloat16" }))).toEqual(Float32Array.of(1.5, -2));
    const bf16 = storeFloats(Float32Array.of(1), [1], "bfloat16");
    expect(() => encodeNpy(bf16)).toThrow(refusal("format_unsupported", ".npy has no bfloat16"));
  });
});

describe("refused", () => {
  it.each([
    ["objects", "format_refused", "nothing was run"],
    ["records", "format_unsupported", "several fields"],
    ["complex", "format_unsupported", '"<c8"'],
    ["text", "format_unsupported", '"<U1"'],
  ])("%s", (name, code, problem) => {
    expect(() => parseNpy(bytesOf(refused[name]!))).toThrow(refusal(code, problem));
  });

  /** A file of version 1.0 with this header and so many bytes of data. */
  function file(header: string, dataBytes: number): Uint8Array {
    const text = new TextEncoder().encode(header);
    const start = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, text.length & 255, text.length >> 8];
    return Uint8Array.of(...start, ...text, ...new Uint8Array(dataBytes));
  }
  const header = (shape: string, descr = "<f4") =>
    `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }\n`;

  it("headers of other writers are read", () => {
    expect(parseNpy(file("{'shape':(2L,),'fortran_order':False,'descr':'<f4'}", 8)).shape).toEqual([2]);
  });

  it.each([
    ["format_invalid", "no .npy file", new Uint8Array(20)],
    ["format_unsupported", "version 4.0", Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 4, 0, 0, 0)],
    ["format_truncated", "needs 8", file(header("(2,)"), 7)],
    ["format_invalid", "needs 8", file(header("(2,)"), 9)],
    ["format_too_large", "bytes", file(header("(99999999, 99999999, 99999999)"), 8)],
    ["format_truncated", "needs", file(header("(99999999, 9999999)"), 8)],
    ["format_invalid", "not NumPy's", file(header("(-2,)"), 8)],
    ["format_invalid", "not NumPy's", file(header("(2 2,)"), 8)],
    ["format_invalid", "not NumPy's", file(header("(2,,)"), 8)],
    ["format_invalid", "not NumPy's", file("{'descr': '<f4', 'shape': (2,), }", 8)],
    [
      "format_invalid",
      "not NumPy's",
      file("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 8),
    ],
    [
      "format_invalid",
      "not NumPy's",
      file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': exit()}", 8),
    ],
    ["format_unsupported", '"=f4"', file(header("(2,)", "=f4"), 8)],
    ["format_unsupported", '"f4"', file(header("(2,)", "f4"), 8)],
    ["format_too_large", "at most 10000", file(header("(2,)") + " ".repeat(10_000), 8)],
  ])("%s: %s", (code, problem, bytes) => {
    expect(() => parseNpy(bytes)).toThrow(refusal(code, problem));
  });

  it("every shorter file, and no change of one byte ends otherwise than in FormatError or an array (property)", () => {
    const bytes = bytesOf(files["big"]!.npy);
    for (let length = 0; length < bytes.length; length++) {
      expect(() => parseNpy(bytes.subarray(0, length))).toThrow(
        expect.objectContaining({ name: "FormatError" }) as Error,
      );
    }
    fc.assert(
      fc.property(fc.nat(127), fc.nat(255), (at, value) => {
        const changed = bytes.slice();
        changed[at] = value;
        try {
          expect(parseNpy(changed).bytes.length).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error).toMatchObject({ name: "FormatError" });
        }
      }),
      { numRuns: 2000 },
    );
  });
});

it("round trips through files give type, shape and bytes back (property)", async () => {
  const folder = await temporaryFolder();
  const dtypes = (Object.keys(storedBytes) as StoredDtype[]).filter((dtype) => dtype !== "bfloat16");
  const arrays = fc
    .record({
      dtype: fc.constantFrom(...dtypes),
      shape: fc.array(fc.nat(4), { maxLength: 4 }),
      seed: fc.nat(255),
    })
    .map(({ dtype, shape, seed }): StoredArray => {
      const size = shape.reduce((a, b) => a * b, storedBytes[dtype]);
      return { dtype, shape, bytes: Uint8Array.from({ length: size }, (_, i) => (i * 31 + seed) & 255) };
    });
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), arrays, { maxKeys: 4, noNullPrototype: true }),
      async (named) => {
        const list = new Map(Object.entries(named));
        await writeNpz(`${folder}/a.npz`, list);
        const archive = await readNpz(`${folder}/a.npz`);
        expect(new Map(archive.names.map((name) => [name, archive.read(name)]))).toEqual(list);
        for (const array of list.values()) {
          await writeNpy(`${folder}/a.npy`, array);
          expect(await readNpy(`${folder}/a.npy`)).toEqual(array);
        }
      },
    ),
    { numRuns: 50 },
  );
  expect(parseNpz(encodeNpz(new Map())).names).toEqual([]);
});
