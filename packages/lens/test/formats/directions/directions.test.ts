import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { storeFloats } from "../../../src/formats/arrays/stored-floats.ts";
import { layerConventions, type LayerConvention } from "../../../src/formats/conventions/layer-convention.ts";
import { directionFormats, exportDirections } from "../../../src/formats/directions/export-directions.ts";
import { importDirections } from "../../../src/formats/directions/import-directions.ts";
import { writeNpy } from "../../../src/formats/npy/npy.ts";
import { openSafetensors } from "../../../src/formats/safetensors/read-safetensors.ts";
import { writeSafetensors } from "../../../src/formats/safetensors/write-safetensors.ts";
import { refusal } from "../refusal.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const directions = [3, 1].map((layer) => ({
  layer,
  vector: Float32Array.of(layer, -1 / 3, 0),
  method: `mean difference of ${layer}`,
}));
const ascending = [...directions].reverse();

describe("exportDirections and importDirections", () => {
  it.each(["safetensors", "npy", "json"] as const)(
    "%s: layers in the convention that was said, and back",
    async (format) => {
      const path = join(await temporaryFolder(), "file");
      await exportDirections(path, directions, { format, convention: "huggingface", layers: 8 });
      expect(await importDirections(path, { format, layers: 8 })).toEqual(ascending);
      expect(await importDirections(path, { format, layers: 8, convention: "huggingface" })).toEqual(
        ascending,
      );
      const twice = importDirections(path, { format, layers: 8, convention: "residua" });
      await expect(twice).rejects.toEqual(refusal("layer_convention", "as huggingface, not as residua"));
      await expect(importDirections(path, { format })).rejects.toEqual(
        refusal("layer_convention", "say how many blocks"),
      );
      const last = exportDirections(path, directions, { format, convention: "huggingface", layers: 4 });
      await expect(last).rejects.toEqual(refusal("layer_convention", "after the final norm"));
    },
  );

  it("gguf: as llama.cpp counts, with a model hint, and no other way", async () => {
    const path = join(await temporaryFolder(), "file.gguf");
    const options = {
      format: "gguf",
      convention: "llama.cpp",
      modelHint: "llama",
      layers: 8,
      hiddenSize: 3,
    } as const;
    await exportDirections(path, directions, options);
    const read = await importDirections(path, { format: "gguf", hiddenSize: 3 });
    expect(read.map(({ layer, vector }) => ({ layer, vector }))).toEqual(
      ascending.map(({ layer, vector }) => ({ layer, vector })),
    );
    const other = exportDirections(path, directions, { ...options, convention: "residua" });
    await expect(other).rejects.toEqual(refusal("layer_convention", 'say convention "llama.cpp"'));
    const { modelHint: _, ...without } = options;
    await expect(exportDirections(path, directions, without)).rejects.toEqual(
      refusal("format_invalid", "modelHint"),
    );
  });

  it("a safetensors file says layers and convention where Python reads them", async () => {
    const path = join(await temporaryFolder(), "file.safetensors");
    await exportDirections(path, directions, {
      format: "safetensors",
      convention: "refusal-direction",
      layers: 8,
    });
    const file = await openSafetensors(path);
    expect([...file.entries.keys()]).toEqual(["layer_2", "layer_4"]);
    expect(file.metadata["layer_convention"]).toBe("refusal-direction");
    await file.close();
  });

  it("a file of another tool that does not say its convention is read when it is said", async () => {
    const folder = await temporaryFolder();
    const row = storeFloats(Float32Array.of(1, 2), [2]);
    const at = (name: string) => join(folder, name);
    await writeNpy(at("a.npy"), row);
    await writeSafetensors(at("a.safetensors"), [{ name: "layer_6", ...row }], () => row);
    await writeFile(at("a.json"), JSON.stringify({ layers: [6], vectors: [[1, 2]] }));
    for (const format of ["npy", "safetensors", "json"] as const) {
      const ask = (convention?: LayerConvention) =>
        importDirections(at(`a.${format}`), { format, layer: 6, ...(convention && { convention }) });
      await expect(ask()).rejects.toEqual(refusal("layer_convention", "does not say how it counts"));
      expect(await ask("aisteer360")).toMatchObject([{ layer: 5, vector: Float32Array.of(1, 2) }]);
    }
    const without = importDirections(at("a.npy"), { format: "npy", convention: "residua" });
    await expect(without).rejects.toEqual(refusal("layer_convention", "say layer and convention"));
  });

  it.each([
    [
      "format_invalid",
      "2 vectors for 1 layers",
      { layer_convention: "residua", layers: [1], vectors: [[1], [2]] },
    ],
    ["format_invalid", "layers", { layer_convention: "residua", layers: [], vectors: [] }],
    ["format_invalid", "vectors", { layer_convention: "residua", layers: [1], vectors: [["1"]] }],
    [
      "format_invalid",
      "two directions at layer 1",
      { layer_convention: "residua", layers: [1, 1], vectors: [[1], [2]] },
    ],
    [
      "format_invalid",
      "1 numbers at layer 2",
      { layer_convention: "residua", layers: [1, 2], vectors: [[1, 2], [2]] },
    ],
    [
      "format_value",
      "Infinity as number 0",
      { layer_convention: "residua", layers: [1], vectors: [[1e300]] },
    ],
    [
      "layer_convention",
      'convention "constructor"',
      { layer_convention: "constructor", layers: [1], vectors: [[1]] },
    ],
    ["layer_convention", "the embedding", { layer_convention: "aisteer360", layers: [0], vectors: [[1]] }],
  ])("%s: %s", async (code, problem, json) => {
    const path = join(await temporaryFolder(), "a.json");
    await writeFile(path, JSON.stringify(json));
    await expect(importDirections(path, { format: "json" })).rejects.toEqual(refusal(code, problem));
  });

  it("an .npy whose layers are lost is not guessed at, and a refused export leaves what was there", async () => {
    const path = join(await temporaryFolder(), "a.npy");
    await exportDirections(path, directions, { format: "npy", convention: "residua" });
    const before = await readFile(path);
    const bad = [{ ...directions[0]!, vector: Float32Array.of(NaN) }];
    await expect(exportDirections(path, bad, { format: "npy", convention: "residua" })).rejects.toEqual(
      refusal("format_value", "NaN"),
    );
    expect(await readFile(path)).toEqual(before);
    await rm(`${path}.json`);
    await expect(importDirections(path, { format: "npy" })).rejects.toEqual(
      refusal("layer_convention", "say layer"),
    );
  });

  it("every form and convention gives every direction back (property)", async () => {
    const path = join(await temporaryFolder(), "file");
    const values = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), {
      minLength: 4,
      maxLength: 4,
    });
    const given = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 98 }), values, fc.string()), {
      selector: ([layer]) => layer,
      minLength: 1,
      maxLength: 4,
    });
    const conventions = fc.constantFrom(...(Object.keys(layerConventions) as LayerConvention[]));
    await fc.assert(
      fc.asyncProperty(
        given,
        fc.constantFrom(...directionFormats),
        conventions,
        async (list, format, other) => {
          const all = list.map(([layer, numbers, method]) => ({
            layer,
            vector: Float32Array.from(numbers),
            method,
          }));
          const convention = format === "gguf" ? "repeng" : other;
          await exportDirections(path, all, { format, convention, modelHint: "m", layers: 100 });
          const read = await importDirections(path, { format, layers: 100 });
          const inOrder = all.sort((a, b) => a.layer - b.layer);
          expect(read.map(({ layer, vector }) => [layer, vector])).toEqual(
            inOrder.map(({ layer, vector }) => [layer, vector]),
          );
          if (format !== "gguf")
            expect(read.map(({ method }) => method)).toEqual(inOrder.map(({ method }) => method));
        },
      ),
      { numRuns: 60 },
    );
  });
});
