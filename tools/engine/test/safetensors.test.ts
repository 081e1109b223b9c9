import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ModelFolderError } from "../src/engine-error.ts";
import { openSafetensors, parseSafetensorsHeader } from "../src/safetensors.ts";

const encode = (header: unknown) =>
  new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
const entry = (shape: number[], begin: number, end: number, dtype = "F32") => ({
  dtype,
  shape,
  data_offsets: [begin, end],
});

describe("headers", () => {
  test("entries in any order, empty tensors and scalars, metadata left out", () => {
    const header = {
      b: entry([2], 4, 12),
      __metadata__: { format: "pt" },
      a: entry([], 0, 4),
      none: entry([0, 3], 4, 4),
    };
    expect([...parseSafetensorsHeader(encode(header), 12)]).toEqual([
      ["b", { dtype: "F32", shape: [2], begin: 4, end: 12 }],
      ["a", { dtype: "F32", shape: [], begin: 0, end: 4 }],
      ["none", { dtype: "F32", shape: [0, 3], begin: 4, end: 4 }],
    ]);
  });

  test.each([
    ["is not JSON", "{", 0],
    ["is not JSON", "\u0000", 0],
    ["is not an object", "[]", 0],
    ["is not an object", "null", 0],
    ["malformed", { a: null }, 0],
    ["malformed", { a: { dtype: "F32", shape: [1] } }, 4],
    ["malformed", { a: entry([-1], 0, 4) }, 4],
    ["malformed", { a: entry([1.5], 0, 6) }, 6],
    ["malformed", { a: entry([1], -4, 0) }, 4],
    ["malformed", { a: { dtype: "F32", shape: [1], data_offsets: [0, 4, 8] } }, 4],
    ["malformed", { a: entry([2 ** 60], 0, 4) }, 4],
    ["unknown type F31", { a: entry([1], 0, 4, "F31") }, 4],
    ["unknown type constructor", { a: entry([1], 0, 4, "constructor") }, 4],
    ["takes 8 bytes, but the header gives it 4", { a: entry([2], 0, 4) }, 4],
    ["takes 4 bytes, but the header gives it -4", { a: entry([1], 8, 4) }, 8],
    ["ends at byte 8, but the file has 7", { a: entry([2], 0, 8) }, 7],
    ["overlap or leave a gap", { a: entry([2], 0, 8), b: entry([2], 4, 12) }, 12],
    ["overlap or leave a gap", { a: entry([1], 0, 4), b: entry([1], 0, 4) }, 4],
    ["overlap or leave a gap", { a: entry([1], 0, 4), b: entry([1], 8, 12) }, 12],
    ["overlap or leave a gap", { a: entry([1], 4, 8) }, 8],
    ["tensors end at byte 4, but the file has 5", { a: entry([1], 0, 4) }, 5],
  ])("refused: %s", (problem, header, dataBytes) => {
    const parse = () => parseSafetensorsHeader(encode(header), dataBytes);
    expect(parse).toThrow(ModelFolderError);
    expect(parse).toThrow(problem);
  });

  test("any set of tensors laid end to end is read back", () => {
    const tensors = fc.uniqueArray(
      fc.record({
        name: fc.string(),
        shape: fc.array(fc.nat(5), { maxLength: 4 }),
        dtype: fc.constantFrom("F32", "BF16", "U8"),
      }),
      { selector: ({ name }) => name },
    );
    fc.assert(
      fc.property(tensors, fc.func(fc.integer()), (list, order) => {
        let at = 0;
        const entries = list
          .filter(({ name }) => name !== "__metadata__")
          .map(({ name, shape, dtype }) => {
            const begin = at;
            at += shape.reduce((product, size) => product * size, { F32: 4, BF16: 2, U8: 1 }[dtype]);
            return { name, shape, dtype, begin, end: at };
          });
        // Computed keys keep a name such as __proto__ an own property.
        const shuffled = [...entries].sort((a, b) => order(a.name, b.name) || 0);
        const header = `{${shuffled.map(({ name, shape, dtype, begin, end }) => `${JSON.stringify(name)}:${JSON.stringify(entry(shape, begin, end, dtype))}`).join()}}`;
        const parsed = parseSafetensorsHeader(encode(header), at);
        expect(parsed.size).toBe(entries.length);
        for (const { name, ...rest } of entries) expect(parsed.get(name)).toEqual(rest);
      }),
    );
  });

  test("whatever the bytes, the answer is entries in range or a ModelFolderError", () => {
    const json = fc.json().map((text) => encode(text));
    fc.assert(
      fc.property(fc.oneof(json, fc.uint8Array({ maxLength: 200 })), fc.nat(64), (bytes, dataBytes) => {
        try {
          for (const { begin, end } of parseSafetensorsHeader(bytes, dataBytes).values()) {
            expect(begin >= 0 && begin <= end && end <= dataBytes).toBe(true);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(ModelFolderError);
        }
      }),
    );
  });
});

describe("files", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "residua-safetensors-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const write = async (bytes: Uint8Array) => {
    const path = join(folder, "model.safetensors");
    await writeFile(path, bytes);
    return path;
  };
  const file = (header: unknown, data: number[], announced?: bigint) => {
    const json = encode(header);
    const start = new Uint8Array(8);
    new DataView(start.buffer).setBigUint64(0, announced ?? BigInt(json.length), true);
    return Uint8Array.from([...start, ...json, ...data]);
  };

  test("tensors are read by name", async () => {
    const open = await openSafetensors(
      await write(file({ b: entry([2], 1, 3, "U8"), a: entry([1], 0, 1, "U8") }, [7, 8, 9])),
    );
    expect([...(await open.read("b"))]).toEqual([8, 9]);
    await expect(open.read("c")).rejects.toMatchObject({ code: "weights_invalid" });
    await open.close();
  });

  test.each([
    ["has 0 bytes", new Uint8Array()],
    ["has 7 bytes", new Uint8Array(7)],
    ["announces a header of 40 bytes", file({}, [], 40n)],
    ["announces a header of 18446744073709552000 bytes", file({}, [], 2n ** 64n - 1n)],
    ["truncated", file({ a: entry([4], 0, 4, "U8") }, [1, 2, 3])],
  ])("refused: %s", async (problem, bytes) => {
    const opened = openSafetensors(await write(bytes));
    await expect(opened).rejects.toThrow(problem);
    await expect(opened).rejects.toMatchObject({ code: "weights_invalid" });
  });

  test("cut at any byte, a file is refused when opened", async () => {
    const whole = file({ a: entry([2], 0, 8), b: entry([1], 8, 12) }, Array<number>(12).fill(1));
    for (let length = 0; length < whole.length; length++) {
      await expect(openSafetensors(await write(whole.subarray(0, length)))).rejects.toBeInstanceOf(
        ModelFolderError,
      );
    }
  });

  test("a file that is not there", async () => {
    await expect(openSafetensors(join(folder, "none"))).rejects.toMatchObject({ code: "weights_invalid" });
  });
});
