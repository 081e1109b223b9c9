import { readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { storeFloats } from "../../../src/formats/arrays/stored-floats.ts";
import { encodeSafetensors } from "../../../src/formats/safetensors/write-safetensors.ts";
import { type Direction, direction } from "../../../src/steering/direction.ts";
import { steeringExpression } from "../../../src/steering/expression/steering-expression.ts";
import { loadDirections } from "../../../src/steering/store/load-directions.ts";
import { saeDirection } from "../../../src/steering/store/sae-direction.ts";
import { saveDirection } from "../../../src/steering/store/save-direction.ts";
import { temporaryFile, temporaryFolder } from "../../formats/temporary-folder.ts";

const at = (layer: number, vector = [1 / 3, -2], name = "truth") =>
  direction({ layer, vector, name, method: `mean difference at ${layer}` });
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "taken",
    (error: { code?: string }) => error.code,
  );

describe("a folder of directions", () => {
  it("gives back what was saved, by name, bit for bit", async () => {
    const folder = join(await temporaryFolder(), "new", "folder");
    const several = [at(14), at(2, [1e-40, 3e38])];
    expect(await saveDirection(folder, several)).toBe(join(folder, "truth.safetensors"));
    await saveDirection(folder, at(3), { name: "other" });
    const found = await loadDirections(folder);
    expect([...found.keys()]).toEqual(["other", "truth"]);
    expect(found.get("truth")).toEqual([several[1], several[0]]);
    expect(found.get("other")).toEqual([at(3, undefined, "other")]);
    expect(steeringExpression("2 truth@14", { directions: found })[0]?.rows[0]).toEqual(at(14).vector);
  });

  it("takes no name twice, unless told to, also of two at once", async () => {
    const folder = await temporaryFolder();
    await saveDirection(folder, at(1));
    expect(await codeOf(saveDirection(folder, at(2)))).toBe("direction_file");
    expect((await loadDirections(folder)).get("truth")).toEqual([at(1)]);
    await saveDirection(folder, at(2), { replace: true });
    expect((await loadDirections(folder)).get("truth")).toEqual([at(2)]);
    const both = await Promise.all(
      [1, 2].map((layer) => codeOf(saveDirection(folder, at(layer), { name: "once" }))),
    );
    expect(both.sort()).toEqual(["direction_file", "taken"]);
    expect((await readdir(folder)).sort()).toEqual(["once.safetensors", "truth.safetensors"]);
  });

  it("refuses before anything is written", async () => {
    const folder = await temporaryFolder();
    for (const [code, given, options] of [
      ["direction_name", at(1), { name: "../out" }],
      ["direction_name", direction({ layer: 1, vector: [1], method: "m" }), {}],
      ["direction_name", [at(1), at(2, [1, 2], "lies")], {}],
      ["steering_layer", [at(1), at(1)], {}],
      ["steering_layer", [], { name: "none" }],
      ["steering_width", [at(1), at(2, [1])], {}],
      ["steering_option", null, {}],
      ["steering_option", [undefined], {}],
      ["steering_option", { layer: 1, vector: [1], name: "a" }, {}],
      ["steering_option", at(1), null],
      ["steering_option", at(1), { replace: "no" }],
      ["steering_option", { ...at(1), layer: "1" }, {}],
      ["steering_layer", { ...at(1), layer: -3 }, {}],
      ["steering_not_finite", { ...at(1), vector: Float32Array.of(1, NaN) }, {}],
      ["steering_rows", { ...at(1), vector: [] }, {}],
      ["direction_name", { ...at(1), name: 3 }, {}],
    ] as [string, Direction, object][]) {
      expect(await codeOf(saveDirection(folder, given, options)), code).toBe(code);
    }
    expect(await codeOf(saveDirection(at(1) as never, null as never))).toBe("steering_option");
    expect(await codeOf(saveDirection("", at(1)))).toBe("steering_option");
    expect(await codeOf(loadDirections(undefined as never))).toBe("steering_option");
    expect(await readdir(folder)).toEqual([]);
  });

  it("loads whatever it saves, in part with a name of its own, and names a file that is spoilt", async () => {
    const folder = await temporaryFolder();
    const given = {
      layer: 999_999_999,
      vector: [1, 2],
      method: "",
      name: "not a name",
    } as unknown as Direction;
    const path = await saveDirection(folder, given, { name: "b" });
    await saveDirection(folder, at(1), { name: "a" });
    expect([...(await loadDirections(folder)).keys()]).toEqual(["a", "b"]);
    const nan = new Map([["layer_3", storeFloats(Float32Array.of(1, NaN), [2])]]);
    const header = {
      format: "residua.direction",
      version: "1",
      name: "b",
      layer_convention: "output of decoder block L, from 0, before the final norm",
      methods: '{"3":"m"}',
    };
    await writeFile(path, encodeSafetensors(nan, header));
    const loaded = loadDirections(folder);
    await expect(loaded).rejects.toMatchObject({ code: "direction_file", data: { path } });
    await expect(loaded).rejects.toThrow(`${path} is no saved direction: b: number 1 is NaN`);
    await writeFile(path, new Uint8Array(4));
    await expect(loadDirections(folder)).rejects.toThrow("b.safetensors");
  });

  it("reads no file as what it is not", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "a.safetensors");
    const tensors = (name: string, length = 2) =>
      new Map([[name, storeFloats(new Float32Array(length), [length])]]);
    const good = {
      format: "residua.direction",
      version: "1",
      name: "a",
      layer_convention: "output of decoder block L, from 0, before the final norm",
      methods: '{"3":"m"}',
    };
    const loaded = async (bytes: Uint8Array) => {
      await writeFile(path, bytes);
      return codeOf(loadDirections(folder));
    };
    expect(await loaded(encodeSafetensors(tensors("layer_3"), good))).toBe("taken");
    expect(await loaded(encodeSafetensors(tensors("layer_3")))).toBe("direction_file");
    expect(await loaded(encodeSafetensors(tensors("layer_3"), { ...good, layer_convention: "input" }))).toBe(
      "direction_file",
    );
    expect(await loaded(encodeSafetensors(tensors("layer_4"), good))).toBe("direction_file");
    expect(await loaded(encodeSafetensors(tensors("direction.3"), good))).toBe("direction_file");
    expect(await loaded(encodeSafetensors(tensors("layer_3"), { ...good, methods: "no" }))).toBe(
      "direction_file",
    );
    expect(await loaded(encodeSafetensors(new Map(), good))).toBe("direction_file");
    expect(await loaded(new Uint8Array(4))).toMatch(/^format_/);
    expect(await loaded(encodeSafetensors(tensors("layer_3"), good))).toBe("taken");
    await rename(path, join(folder, "b.safetensors"));
    expect(await codeOf(loadDirections(folder))).toBe("direction_file");
    expect(await codeOf(loadDirections(join(folder, "none")))).toBe("direction_file");
  });
});

describe("saeDirection", () => {
  const decoder = Float32Array.from({ length: 12 }, (_, i) => i / 4);
  const file = (shape: [number, number], name = "W_dec") =>
    temporaryFile(
      encodeSafetensors(new Map([[name, storeFloats(decoder, shape, "bfloat16")]])),
      "sae.safetensors",
    );

  it("is the decoder row of the feature", async () => {
    expect(await saeDirection(await file([4, 3]), { feature: 2, layer: 5, name: "cats" })).toEqual(
      direction({
        layer: 5,
        vector: [1.5, 1.75, 2],
        name: "cats",
        method: "SAE decoder row 2 of W_dec in sae.safetensors",
      }),
    );
    const other = await saeDirection(await file([4, 3], "decoder"), {
      feature: 0,
      layer: 0,
      tensor: "decoder",
      hiddenSize: 3,
    });
    expect([...other.vector]).toEqual([0, 0.25, 0.5]);
  });

  it("refuses a decoder that may be transposed, and features that it does not have", async () => {
    const wide = await file([3, 4]);
    expect(await codeOf(saeDirection(wide, { feature: 0, layer: 1 }))).toBe("steering_width");
    expect(await codeOf(saeDirection(wide, { feature: 0, layer: 1, hiddenSize: 4 }))).toBe("taken");
    expect(await codeOf(saeDirection(wide, { feature: 0, layer: 1, hiddenSize: 3 }))).toBe("steering_width");
    expect(await codeOf(saeDirection(wide, { feature: 3, layer: 1, hiddenSize: 4 }))).toBe("direction_file");
    expect(await codeOf(saeDirection(wide, { feature: -1, layer: 1, hiddenSize: 4 }))).toBe("direction_file");
    expect(await codeOf(saeDirection(wide, { feature: 0, layer: 1, tensor: "W_enc" }))).toBe(
      "format_missing",
    );
    expect(await codeOf(saeDirection(wide, { feature: 0, layer: -1, hiddenSize: 4 }))).toBe("steering_layer");
  });
});
