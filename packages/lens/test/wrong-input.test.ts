import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as lens from "../src/index.ts";
import { madeCapture } from "./select/made-capture.ts";

const folder = await mkdtemp(join(tmpdir(), "residua-wrong-input-"));
afterAll(() => rmSync(folder, { recursive: true }));

const nowhere = join(folder, "nowhere");
const path = join(folder, "written");
const values = Float32Array.of(1, 2);
const bits = Uint16Array.of(1, 2);
const bytes = Uint8Array.of(1, 2, 3);
const array = lens.storeFloats(values, [2]);
const direction = { layer: 1, vector: values, method: "m" };
const tensor = { dtype: "float32", shape: [2], values };
const capture = madeCapture({ prompt: "The sky", names: [null, "The", " sky"], generated: [" is", " so"] });

/** Arguments that a function takes, of which each is made wrong in its turn. */
interface Case {
  args: readonly unknown[];
  /** By index, values that this argument may be, beside those of undefined that it may be left out by. */
  right?: Readonly<Record<number, readonly unknown[]>>;
  /** Indexes of arguments that may be left out. */
  optional?: readonly number[];
  /** Named fields that may be left out, by the index of their argument. */
  optionalFields?: readonly string[];
  /** Objects that may know more than is asked of them. */
  loose?: readonly number[];
}

/** For an argument of any kind; what a case names as right is left out. */
const wrong = [undefined, null, -1, NaN, "no such word", true, [], ["x"], {}, { x: 1 }, new Map([["x", 1]])];

const size = { layers: 1, promptTokens: 1, maxTokens: 1, hiddenSize: 1 };
const hidden = { layers: [0], tokens: "last" };
const anyPath = { 0: ["no such word"] } as const;
const anyName = ["no such word"];

const cases: Record<string, Case> = {
  captureNumbers: { args: [size] },
  wouldFitText: { args: [size, 100], optional: [1] },
  depth: { args: [0.5] },
  layerRange: { args: [1, 2, 1], optional: [2] },
  bf16ToFloat32: { args: [bits, Float32Array.of(1, 2)], optional: [1] },
  float32ToBf16: { args: [values] },
  float16ToFloat32: { args: [bits, Float32Array.of(1, 2)], optional: [1] },
  float32ToFloat16: { args: [values] },
  compressTensor: {
    args: [{ data: "AAAA", dtype: "float32", shape: [1] }],
    optionalFields: ["dtype", "shape"],
    loose: [0],
  },
  decodeTensor: { args: [lens.encodeTensor(values, [2])], optionalFields: ["original_dtype"], loose: [0] },
  decodeActivations: {
    args: [{ activations: { residual_stream: lens.encodeTensor(values, [2]) } }, { profile: "vllm" }],
    right: { 1: [{}] },
    optional: [1],
    optionalFields: ["profile"],
    loose: [0],
  },
  encodeTensor: {
    args: [values, [2], { dtype: "float16" }],
    right: { 2: [{}] },
    optional: [2],
    optionalFields: ["dtype"],
  },
  tensorValues: {
    args: [tensor, 0, 2, Float32Array.of(1, 2)],
    optional: [1, 2, 3],
    optionalFields: ["shape"],
    loose: [0],
  },
  select: { args: [capture, lens.last], right: { 1: [{}] }, loose: [0] },
  lastK: { args: [2, { of: "all" }], right: { 1: [{}] }, optional: [1], optionalFields: ["of"] },
  span: {
    args: [{ text: "sky", of: "all", occurrence: "first", cut: "outer" }],
    optionalFields: ["of", "occurrence", "cut"],
  },
  meanOf: { args: [lens.last, { bos: "in" }], right: { 1: [{}] }, optional: [1], optionalFields: ["bos"] },
  maxOf: { args: [lens.last, { bos: "in" }], right: { 1: [{}] }, optional: [1], optionalFields: ["bos"] },
  readSelection: { args: [{ ...lens.last }] },
  storedFloats: { args: [array, "a"], right: { 1: anyName }, optional: [1], loose: [0] },
  storeFloats: {
    args: [values, [2], "float16", "a"],
    right: { 3: anyName },
    optional: [2, 3],
  },
  openSafetensors: { args: [nowhere] },
  parseSafetensors: { args: [bytes, "a"], optional: [1] },
  encodeSafetensors: {
    args: [new Map([["a", array]]), { a: "b" }],
    right: { 1: [{}] },
    optional: [1],
    optionalFields: ["a"],
    loose: [],
  },
  writeSafetensors: {
    args: [path, [{ name: "a", dtype: "float32", shape: [2] }], () => array, { a: "b" }],
    right: { ...anyPath, 1: [[]], 3: [{}] },
    optional: [3],
    optionalFields: ["a"],
  },
  encodeControlVector: {
    args: [
      { modelHint: "llama", directions: [direction] },
      { hiddenSize: 2, layers: 4 },
    ],
    right: { 1: [{}] },
    optional: [1],
    optionalFields: ["hiddenSize", "layers"],
  },
  parseControlVector: { args: [bytes, { layers: 4 }, "a"], optional: [1, 2] },
  readControlVector: { args: [nowhere, { layers: 4 }], optional: [1] },
  writeControlVector: {
    args: [path, { modelHint: "llama", directions: [direction] }, { layers: 4 }],
    right: { ...anyPath, 2: [{}] },
    optional: [2],
    optionalFields: ["layers"],
  },
  encodeNpy: { args: [array], loose: [0] },
  parseNpy: { args: [bytes, { voidAs: "bfloat16" }, "a"], optional: [1, 2] },
  readNpy: { args: [nowhere, { voidAs: "bfloat16" }], optional: [1] },
  writeNpy: { args: [path, array], right: anyPath, loose: [1] },
  openNpy: { args: [nowhere, { voidAs: "bfloat16" }], optional: [1] },
  writeNpyRows: {
    args: [path, { dtype: "float32", shape: [2] }, [array.bytes]],
    right: anyPath,
    loose: [1],
  },
  encodeNpz: { args: [new Map([["a", array]])] },
  openZip: { args: [bytes, "a", 1], optional: [2], right: { 1: anyName } },
  hasDuplicateKeys: { args: ["{}"], right: { 0: anyName } },
  selectedRows: { args: [lens.last, { prompt: { least: 1, most: 2 }, maxTokens: 1 }] },
  parseNpz: { args: [bytes, { voidAs: "bfloat16" }, "a"], optional: [1, 2] },
  readNpz: { args: [nowhere, { voidAs: "bfloat16" }], optional: [1] },
  writeNpz: { args: [path, new Map([["a", array]])], right: anyPath },
  parsePt: { args: [bytes, "a"], optional: [1] },
  readPt: { args: [nowhere] },
  convertLayer: { args: [{ from: "caa", to: "residua", layer: 1, layers: 4 }], optionalFields: ["layers"] },
  layerOfTransformerLensName: { args: ["blocks.1.hook_resid_post", 4], optional: [1] },
  readCaaVector: { args: [join(folder, "vec_layer_1_m.pt"), 1], optional: [1] },
  readGeometryOfTruth: { args: [nowhere, 1] },
  fromHuggingFaceHiddenStates: {
    args: [[1, 2, 3].map(() => lens.storeFloats(values, [1, 1, 2])), { ...hidden }],
    // No layers, no rows.
    optionalFields: [],
  },
  fromTransformerLens: {
    args: [
      new Map([["blocks.0.hook_resid_post", lens.storeFloats(values, [1, 1, 2])]]),
      { ...hidden, weights: "unprocessed" },
    ],
  },
  readRefusalDirection: { args: [nowhere] },
  readRefusalMeanDifferences: { args: [nowhere] },
  readSteerkitProbe: { args: [nowhere, { method: "m", weights: "unprocessed" }] },
  readVllmHiddenStates: { args: [nowhere, [1]] },
  ablateModel: { args: [{ model: nowhere, direction, to: path }] },
  exportDirections: {
    args: [path, [direction], { format: "json", convention: "residua", layers: 4 }],
    right: anyPath,
    optionalFields: ["layers"],
  },
  importDirections: { args: [nowhere, { format: "json", convention: "caa" }] },
};

/** Calls that are wrong in one place, and what that is. */
function wrongCalls({ args, right = {}, optional = [], optionalFields = [], loose = [] }: Case) {
  const calls: { what: string; given: unknown[] }[] = [];
  const put = (i: number, value: unknown, what: string) =>
    calls.push({ what, given: args.map((arg, k) => (k === i ? value : arg)) });
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b) && typeof a === typeof b;
  for (const [i, arg] of args.entries()) {
    for (const value of wrong) {
      if (value === undefined && optional.includes(i)) continue;
      if (right[i]?.some((one) => same(one, value) && !(value instanceof Map))) continue;
      if (typeof arg === "string" && typeof value === "string" && ["a", nowhere].includes(arg) && i > 0)
        continue;
      put(i, value, `argument ${i} is ${String(JSON.stringify(value))}`);
    }
    if (Object.prototype.toString.call(arg) !== "[object Object]") continue;
    const object = arg as Record<string, unknown>;
    if (!loose.includes(i)) put(i, { ...object, extra: 1 }, `argument ${i} has an extra field`);
    for (const name of Object.keys(object)) {
      if (typeof object[name] === "function" || loose.includes(i)) continue;
      for (const value of [null, -1, NaN, {}, ...(optionalFields.includes(name) ? [] : [undefined])])
        put(i, { ...object, [name]: value }, `${name} is ${String(JSON.stringify(value))}`);
    }
  }
  return calls;
}

type AnyFunction = (...args: unknown[]) => unknown;

describe("wrong input from callers without types", () => {
  it("is tried of every function of the codec, the formats, selections, layers and limits", () => {
    const elsewhere =
      /[sS]teering|[dD]irection$|saveDirection|loadDirections|readDirectionFile|addDirections|orthogonalTo|createLens|readHookResults|openUnembedding|failedNeeds|intervention$|encodeChatWith/;
    const functions = Object.entries(lens).filter(
      ([, value]) => typeof value === "function" && !/^class /.test(Function.prototype.toString.call(value)),
    );
    const names = functions.map(([name]) => name).filter((name) => !elsewhere.test(name));
    expect(Object.keys(cases).filter((name) => !/Direction$/.test(name))).toEqual(
      expect.arrayContaining(names),
    );
  });

  it.each(Object.entries(cases))("%s refuses it by an error of its own", async (name, one) => {
    const call = lens[name as keyof typeof lens] as AnyFunction;
    const faults: string[] = [];
    for (const { what, given } of wrongCalls(one)) {
      try {
        const returned = await call(...given);
        faults.push(`${what}: gave ${String(returned)}`);
      } catch (error) {
        if (!(error instanceof lens.ResiduaError)) faults.push(`${what}: ${String(error)}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it.each(["gguf", "safetensors", "npy", "json"])("options of %s too", async (format) => {
    const at = join(folder, `directions.${format}`);
    const options = { format, convention: "llama.cpp", modelHint: "llama", hiddenSize: 2, layers: 4 };
    const wrongOptions = {
      format: "xyz",
      convention: "x",
      modelHint: 1,
      hiddenSize: 0,
      layers: -1,
      extra: 1,
    };
    const { exportDirections, importDirections } = lens as unknown as Record<string, AnyFunction>;
    await exportDirections!(at, [direction], options);
    const { modelHint: _, ...asked } = options;
    expect(await importDirections!(at, asked)).toMatchObject([{ layer: 1 }]);
    for (const [field, value] of Object.entries(wrongOptions)) {
      const told = {
        code: "format_invalid",
        message: expect.stringContaining(`options.${field}`) as unknown,
      };
      await expect(exportDirections!(at, [direction], { ...options, [field]: value })).rejects.toMatchObject(
        told,
      );
      await expect(importDirections!(at, { ...asked, [field]: value })).rejects.toMatchObject(told);
    }
  });

  it("is named with what was given and what is allowed", () => {
    const { encodeTensor, storeFloats, captureNumbers, convertLayer } = lens as unknown as Record<
      string,
      AnyFunction
    >;
    expect(() => encodeTensor!(values, [2], { dtype: "int8" })).toThrow(
      'encodeTensor: options.dtype "int8" given; allowed: float32, bfloat16, float16',
    );
    expect(() => storeFloats!(values, [2], "int8")).toThrow(
      'storeFloats: dtype "int8" given; allowed: float64,',
    );
    expect(() => storeFloats!(values, [3])).toThrow("shape [3] of the array is 3 numbers, 2 given");
    expect(() => captureNumbers!({ ...size, layers: -1 })).toThrow(
      "captureNumbers: size.layers -1 given; allowed: a whole number from 0",
    );
    expect(() => convertLayer!({ from: "x", to: "caa", layer: 1 })).toThrow(
      'conversion.from "x" given; allowed: residua,',
    );
  });
});
