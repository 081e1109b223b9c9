import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { storedFloats, isFloatDtype } from "../../../src/formats/arrays/stored-floats.ts";
import type { PickleValue } from "../../../src/formats/pickle/pickle-value.ts";
import { PtTensor } from "../../../src/formats/pt/pt-tensor.ts";
import { parsePt, readPt } from "../../../src/formats/pt/read-pt.ts";
import { encodeZip } from "../../../src/formats/zip/encode-zip.ts";
import { openZip } from "../../../src/formats/zip/zip-archive.ts";
import { fixtureBytes, fixtureJson, fixturePath } from "../fixture.ts";
import { refusal } from "../refusal.ts";

const itemOf = (value: PickleValue, key: string) => (value as ReadonlyMap<string, PickleValue>).get(key)!;
const tensorOf = (value: PickleValue, key: string) => itemOf(value, key) as PtTensor;

describe("files of torch", () => {
  it("tensors and views of every kind are read", async () => {
    const read = await readPt(fixturePath("pt/tensors.pt"));
    const values = fixtureJson("pt/values.json") as Record<
      string,
      { shape: number[]; values: (number | boolean)[] }
    >;
    for (const [name, expected] of Object.entries(values)) {
      const stored = tensorOf(read, name).stored();
      expect(stored.shape, name).toEqual(expected.shape);
      if (isFloatDtype(stored.dtype)) {
        expect([...storedFloats(stored)], name).toEqual(expected.values);
      } else {
        const types = { int64: BigInt64Array, int32: Int32Array, int16: Int16Array, int8: Int8Array };
        const type = types[stored.dtype as keyof typeof types] ?? Uint8Array;
        const numbers = new type(stored.bytes.slice().buffer);
        expect(Array.from(numbers as Iterable<number | bigint>, Number), name).toEqual(
          expected.values.map(Number),
        );
      }
    }
    expect(tensorOf(read, "bf16").dtype).toBe("bfloat16");
  });

  it("lists, tuples, dicts, texts and numbers are read; what is there twice is one thing", async () => {
    const read = await readPt(fixturePath("pt/tensors.pt"));
    expect(itemOf(read, "none")).toBeNull();
    expect(itemOf(read, "yes")).toBe(true);
    expect(itemOf(read, "numbers")).toEqual([0, -1, 255, 65535, -70000, 2 ** 40, 2.5, -(2n ** 70n)]);
    expect(itemOf(read, "texts")).toEqual(["", "zoë \u{1f600}", "a".repeat(300)]);
    expect(itemOf(read, "nested")).toEqual(new Map([["a", new Map([[1, [[], [], new Map()]]])]]));
    expect(itemOf(read, "again")).toBe(itemOf(read, "nested"));
  });

  it.each(["state.pt", "protocol4.pt"])("%s: the form before 1.6, and pickle protocol 4", async (name) => {
    const read = await readPt(fixturePath(`pt/${name}`));
    const state = fixtureJson("pt/state.json") as { weight: number[][]; bias: number[] };
    expect(tensorOf(read, "weight").shape).toEqual([2, 3]);
    expect([...storedFloats(tensorOf(read, "weight").stored())]).toEqual(state.weight.flat());
    expect([...storedFloats(tensorOf(read, "bias").stored())]).toEqual(state.bias);
  });
});

describe("hostile files", () => {
  const hostile = fixtureJson("pt/hostile.json") as Record<string, string>;

  it.each(Object.entries(hostile))("%s is refused by name", (name, base64) => {
    const named = { numpy: "numpy.", legacy: "posix.system" }[name] ?? name.split(" ")[0]!;
    const parse = () => parsePt(new Uint8Array(Buffer.from(base64, "base64")), "x.pt");
    expect(parse).toThrow(
      refusal("format_refused", `names "${named.startsWith("__builtin__") ? "__builtin__." : named}`),
    );
    expect(parse).toThrow("nothing was run");
  });

  /** tensors.pt or vector.pt with one entry replaced. */
  function replaced(file: string, entry: string, change: (bytes: Uint8Array) => Uint8Array): Uint8Array {
    const zip = openZip(fixtureBytes(`pt/${file}`), file);
    const entries = zip.names.map((name): [string, Uint8Array] => [
      name,
      name.endsWith(entry) ? change(zip.read(name)) : zip.read(name),
    ]);
    return encodeZip(new Map(entries.filter(([, bytes]) => bytes.length > 0)));
  }
  const bytes = (text: string) => new TextEncoder().encode(text);
  /** The pickle of vector.pt (4 numbers of float64, stride 1) with a text in it replaced, byte by byte. */
  const pickled = (from: string, to: string) =>
    replaced("vector.pt", "data.pkl", (pickle) => {
      const text = Buffer.from(pickle).toString("latin1");
      expect(text).toContain(from);
      return new Uint8Array(Buffer.from(text.replace(from, to), "latin1"));
    });

  it.each([
    ["format_invalid", "neither a zip archive", bytes("hello")],
    ["format_invalid", "0 data.pkl", encodeZip(new Map([["a/b", bytes("c")]]))],
    ["format_unsupported", "big-endian", replaced("vector.pt", "byteorder", () => bytes("big"))],
    ["format_missing", "data/0", replaced("vector.pt", "data/0", () => bytes(""))],
    ["format_invalid", "a storage of 31 bytes", replaced("vector.pt", "data/0", (all) => all.slice(1))],
    [
      "format_invalid",
      "3 bytes after its end",
      replaced("vector.pt", "data.pkl", (all) => Uint8Array.of(...all, 1, 2, 3)),
    ],
    ["format_truncated", "truncated", replaced("vector.pt", "data.pkl", (all) => all.slice(0, 30))],
    ["format_invalid", "goes past the 4 numbers", pickled("K\0K\u0004", "K\u0001K\u0004")],
    ["format_invalid", "goes past the 4 numbers", pickled("K\u0001\u0085", "K\u0002\u0085")],
    [
      "format_unsupported",
      "an expanded view",
      pickled("K\0K\u0004\u0085q\u0006K\u0001", "K\0K\u0005\u0085q\u0006K\0"),
    ],
    ["format_invalid", "not described as torch does", pickled("storage", "storagf")],
    ["format_refused", "torch.FloatTensor", pickled("DoubleStorage", "FloatTensor")],
    [
      "format_invalid",
      "a storage of 32 bytes for 4 numbers of float32",
      pickled("DoubleStorage", "FloatStorage"),
    ],
  ])("%s: %s", (code, problem, file) => {
    expect(() => (parsePt(file) as PtTensor).stored()).toThrow(refusal(code, problem));
  });

  it("a tuple of tensors over one storage costs nothing until it is asked for", () => {
    const read = parsePt(fixtureBytes("pt/vector.pt")) as PtTensor;
    expect(read.stored().bytes).not.toBe(read.stored().bytes);
  });

  it("no change of one byte ends otherwise than in FormatError or a value (property)", () => {
    const zip = openZip(fixtureBytes("pt/tensors.pt"), "x");
    const length = zip.size(zip.names.find((name) => name.endsWith("data.pkl"))!);
    fc.assert(
      fc.property(fc.nat(length - 1), fc.nat(255), (at, value) => {
        const changed = replaced("tensors.pt", "data.pkl", (pickle) => pickle.with(at, value));
        try {
          const read = parsePt(changed);
          if (read instanceof Map)
            for (const item of read.values()) if (item instanceof PtTensor) item.stored();
        } catch (error) {
          expect(error).toMatchObject({ name: "FormatError" });
        }
      }),
      { numRuns: 500 },
    );
  });
});
