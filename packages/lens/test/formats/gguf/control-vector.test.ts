import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  encodeControlVector,
  parseControlVector,
  readControlVector,
  writeControlVector,
} from "../../../src/formats/gguf/control-vector.ts";
import { fixtureBytes, fixtureJson, fixturePath } from "../fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Layer `layer` of the files that make_gguf.py had the original tools write. */
const row = (layer: number) =>
  Float32Array.from({ length: 64 }, (_, i) => (((i * 37 + layer * 11) % 64) - 32) / 64);
const directions = [1, 2].map((layer) => ({ layer, vector: row(layer), method: "control vector of llama" }));

describe("files of the original tools", () => {
  it("S17: repeng's is read, and the same directions are written byte for byte as repeng writes them", async () => {
    expect(await readControlVector(fixturePath("gguf/repeng.gguf"))).toEqual({
      modelHint: "llama",
      directions,
    });
    const written = encodeControlVector({ modelHint: "llama", directions: [...directions].reverse() });
    expect(written).toEqual(fixtureBytes("gguf/repeng.gguf"));
    const { repeng } = fixtureJson("gguf/read-back.json") as { repeng: unknown };
    expect(repeng).toEqual({ model_type: "llama", directions: { "1": [...row(1)], "2": [...row(2)] } });
  });

  it("S17: steerkit's, without a model hint, is read; a file without one is not written", async () => {
    const steerkit = await readControlVector(fixturePath("gguf/without-hint.gguf"));
    expect(steerkit).toEqual({
      modelHint: null,
      directions: [{ ...directions[1], method: "control vector" }],
    });
    const without = () => encodeControlVector({ modelHint: "", directions });
    expect(without).toThrow("repeng refuses a file without it");
  });

  it("S9: layer 0 is read as repeng means it, and is not written: llama.cpp refuses such a file", async () => {
    const read = await readControlVector(fixturePath("gguf/zero-layer.gguf"));
    expect(read.directions.map(({ layer }) => layer)).toEqual([0, 1]);
    const write = () => encodeControlVector({ modelHint: "llama", directions: [...read.directions] });
    expect(write).toThrow(expect.objectContaining({ code: "layer_convention" }) as Error);
    const { "llama.cpp": llama } = fixtureJson("gguf/read-back.json") as Record<
      string,
      Record<string, unknown>
    >;
    expect(llama).toMatchObject({ loaded: { n_embd: 64, numbers: 128 }, zero_layer: { n_embd: -1 } });
  });
});

describe("refused", () => {
  const bytes = encodeControlVector({ modelHint: "llama", directions });
  const renamed = (from: string, to: string) => {
    const text = Buffer.from(bytes).toString("latin1").replace(from, to);
    return new Uint8Array(Buffer.from(text, "latin1"));
  };

  it("S9: widths and layers that do not fit the model", () => {
    expect(() => parseControlVector(bytes, { hiddenSize: 63 })).toThrow(
      "64 numbers at layer 1, and the hidden size is 63",
    );
    expect(() => parseControlVector(bytes, { layers: 2 })).toThrow("direction at layer 2; allowed: 0 to 1");
    const uneven = [directions[0]!, { layer: 2, vector: new Float32Array(63) }];
    expect(() => encodeControlVector({ modelHint: "llama", directions: uneven })).toThrow("layer 1 has 64");
  });

  it("numbers that are not finite, no directions, a layer twice", () => {
    const encode = (list: { layer: number; vector: Float32Array }[]) => () =>
      encodeControlVector({ modelHint: "llama", directions: list });
    expect(encode([])).toThrow("has no directions");
    expect(encode([directions[0]!, directions[0]!])).toThrow("two directions at layer 1");
    expect(encode([{ layer: 1, vector: Float32Array.of(1, NaN) }])).toThrow("NaN as number 1 at layer 1");
    expect(encode([{ layer: -1, vector: row(1) }])).toThrow("layer -1");
  });

  it.each([
    ["format_invalid", "begin with GGUF", renamed("GGUF", "GGUG")],
    [
      "format_invalid",
      'of "controlvectos"',
      renamed("\u000d\0\0\0\0\0\0\0controlvector", "\u000d\0\0\0\0\0\0\0controlvectos"),
    ],
    ["format_invalid", "expected direction.N", renamed("direction.1", "direction.x")],
    ["format_invalid", "twice", renamed("direction.2", "direction.1")],
    ["format_unsupported", "version 1", renamed("GGUF\u0003", "GGUF\u0001")],
    [
      "layer_convention",
      "embedding",
      renamed(
        "\u000b\0\0\0\0\0\0\0direction.2\u0001\0\0\0",
        "\u000c\0\0\0\0\0\0\0direction.-1\u0001\0\0\0",
      ).subarray(0),
    ],
  ])("%s: %s", (code, problem, hostile) => {
    expect(() => parseControlVector(hostile)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(problem) as string }) as Error,
    );
  });

  it("a file that lost bytes anywhere (every length)", () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(() => parseControlVector(bytes.subarray(0, length))).toThrow(
        expect.objectContaining({ name: "FormatError" }) as Error,
      );
    }
  });

  it("or gives other numbers, but never ends otherwise or takes memory that the file does not have (property)", () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
        const changed = bytes.slice();
        changed[at] = value;
        try {
          const { directions: read } = parseControlVector(changed);
          expect(read.reduce((sum, { vector }) => sum + vector.length, 0)).toBeLessThanOrEqual(
            bytes.length / 2,
          );
        } catch (error) {
          expect(error).toMatchObject({ name: "FormatError" });
        }
      }),
      { numRuns: 2000 },
    );
  });
});

it("a round trip through a file gives every direction back (property)", async () => {
  const path = join(await temporaryFolder(), "vector.gguf");
  const values = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 5, maxLength: 5 });
  const vectors = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 200 }), values), {
    selector: ([layer]) => layer,
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(vectors, fc.string({ minLength: 1 }), async (list, modelHint) => {
      const given = list.map(([layer, numbers]) => ({ layer, vector: Float32Array.from(numbers) }));
      await writeControlVector(path, { modelHint, directions: given });
      const inOrder = given.sort((a, b) => a.layer - b.layer);
      expect(await readControlVector(path, { hiddenSize: 5 })).toMatchObject({
        modelHint,
        directions: inOrder,
      });
    }),
    { numRuns: 50 },
  );
  expect((await readFile(path)).length).toBeGreaterThan(0);
});
