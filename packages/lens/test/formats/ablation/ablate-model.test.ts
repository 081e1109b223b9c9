import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { storedFloats, storeFloats } from "../../../src/formats/arrays/stored-floats.ts";
import { ablateModel } from "../../../src/formats/ablation/ablate-model.ts";
import { openModelWeights } from "../../../src/formats/ablation/model-weights.ts";
import { parseSafetensors } from "../../../src/formats/safetensors/read-safetensors.ts";
import { encodeSafetensors } from "../../../src/formats/safetensors/write-safetensors.ts";
import { fixtureBytes, fixturePath } from "../fixture.ts";
import { refusal } from "../refusal.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const vector = Float32Array.from({ length: 16 }, (_, i) => (((i * 37 + 11) % 64) - 32) / 64);
const direction = { layer: 1, vector, name: "refusal", method: "mean difference" };
const at = (name: string) => fixturePath(`ablation/${name}`);

/** Every tensor of a folder. */
async function tensorsOf(folder: string) {
  const weights = await openModelWeights(folder);
  const tensors = new Map<string, { dtype: string; values: Float32Array }>();
  for (const file of weights.files.values()) {
    for (const name of file.entries.keys()) {
      const stored = await file.read(name);
      tensors.set(name, { dtype: stored.dtype, values: storedFloats(stored) });
    }
  }
  await weights.close();
  return tensors;
}

describe("ablateModel", () => {
  it.each([
    // Sums in double precision here and there: float32 may differ in its last bit, bfloat16 in no more than that.
    ["tied", 2e-7, 1e-7],
    ["shards", 2 ** -7, 2e-3],
  ])("%s: gives the weights that PyTorch gives", async (name, tolerance, mostResidue) => {
    const to = join(await temporaryFolder(), "new");
    const done: number[] = [];
    const ablation = await ablateModel({
      model: at(name),
      direction,
      to,
      onProgress: (progress) => done.push(progress.done),
    });
    const reference = parseSafetensors(fixtureBytes(`ablation/${name}-ablated.safetensors`)).tensors;
    const own = await tensorsOf(to);
    expect([...own.keys()].sort()).toEqual([...reference.keys()].sort());
    for (const [tensor, { dtype, values }] of own) {
      const expected = storedFloats(reference.get(tensor)!);
      expect(dtype).toBe(reference.get(tensor)!.dtype);
      const furthest = values.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i]!)), 0);
      expect(furthest, tensor).toBeLessThanOrEqual(tolerance);
      expect(values.filter((value, i) => value !== expected[i]).length / values.length).toBeLessThan(0.02);
    }
    expect(done).toEqual(done.map((_, i) => i + 1));
    expect(done).toHaveLength(own.size);
    expect(ablation).toMatchObject({ folder: to, hiddenSize: 16, layers: 2, untied: name === "tied" });
    expect(ablation.before).toBeGreaterThan(0.1);
    expect(ablation.residue).toBeLessThan(mostResidue);
  });

  it("an unembedding that was tied reads as before, and config.json says that it is on its own now", async () => {
    const to = join(await temporaryFolder(), "new");
    await ablateModel({ model: at("tied"), direction, to });
    const [before, after] = [await tensorsOf(at("tied")), await tensorsOf(to)];
    expect(after.get("lm_head.weight")).toEqual(before.get("model.embed_tokens.weight"));
    const config = async (folder: string) =>
      JSON.parse(await readFile(join(folder, "config.json"), "utf8")) as object;
    expect(await config(to)).toEqual({ ...(await config(at("tied"))), tie_word_embeddings: false });
    expect(JSON.parse(await readFile(join(to, "ablation.json"), "utf8"))).toMatchObject({
      direction: { name: "refusal", layer: 1, method: "mean difference" },
      changed: 5,
      untied: true,
    });
  });

  it("a model in several files stays in them; other files are copied, weights in other forms are not", async () => {
    const folder = await temporaryFolder();
    await cp(at("shards"), join(folder, "model"), { recursive: true });
    for (const name of ["tokenizer.json", "pytorch_model.bin", "README.md"])
      await writeFile(join(folder, "model", name), name);
    await mkdir(join(folder, "new"));
    await ablateModel({ model: join(folder, "model"), direction, to: join(folder, "new") });
    const names = await readdir(join(folder, "new"));
    const index = JSON.parse(
      await readFile(join(folder, "new", "model.safetensors.index.json"), "utf8"),
    ) as object;
    expect(index).toEqual(JSON.parse(await readFile(at("shards/model.safetensors.index.json"), "utf8")));
    expect(names).toEqual(
      expect.arrayContaining(["tokenizer.json", "README.md", "model-00007-of-00007.safetensors"]),
    );
    expect(names).not.toContain("pytorch_model.bin");
    expect(await readdir(folder)).toEqual(["model", "new"]);
  });

  it("a tied model in several files gets the unembedding beside the embedding, and the index says so", async () => {
    const folder = await temporaryFolder();
    await cp(at("tied"), join(folder, "model"), { recursive: true });
    const { tensors } = parseSafetensors(fixtureBytes("ablation/tied/model.safetensors"));
    await writeFile(join(folder, "model", "part.safetensors"), encodeSafetensors(tensors));
    const weight_map = Object.fromEntries([...tensors.keys()].map((name) => [name, "part.safetensors"]));
    const metadata = { total_size: 1000 };
    await writeFile(
      join(folder, "model", "model.safetensors.index.json"),
      JSON.stringify({ metadata, weight_map }),
    );
    await ablateModel({ model: join(folder, "model"), direction, to: join(folder, "new") });
    expect(JSON.parse(await readFile(join(folder, "new", "model.safetensors.index.json"), "utf8"))).toEqual({
      metadata: { total_size: 1000 + 40 * 16 * 4 },
      weight_map: { ...weight_map, "lm_head.weight": "part.safetensors" },
    });
    expect((await tensorsOf(join(folder, "new"))).has("lm_head.weight")).toBe(true);
  });
});

describe("refused, and nothing written", () => {
  /** A copy of `tied` with its config or a tensor changed. */
  async function changed(config: object, tensor?: [name: string, size: number | null]): Promise<string> {
    const folder = await temporaryFolder();
    await cp(at("tied"), folder, { recursive: true });
    const old = JSON.parse(await readFile(join(folder, "config.json"), "utf8")) as object;
    await writeFile(join(folder, "config.json"), JSON.stringify({ ...old, ...config }));
    if (tensor !== undefined) {
      const { tensors } = parseSafetensors(fixtureBytes("ablation/tied/model.safetensors"));
      const [name, size] = tensor;
      if (size === null) tensors.delete(name);
      else tensors.set(name, storeFloats(new Float32Array(size * 16), [size, 16]));
      await writeFile(join(folder, "model.safetensors"), encodeSafetensors(tensors));
    }
    return folder;
  }

  it.each<[string, string, object, [string, number | null]?]>([
    ["format_unsupported", "families llama, mistral and qwen2", { model_type: "gemma" }],
    ["format_unsupported", "quantization_config", { quantization_config: { quant_method: "awq" } }],
    [
      "format_unsupported",
      "mlp.experts.0.down_proj",
      {},
      ["model.layers.0.mlp.experts.0.down_proj.weight", 16],
    ],
    ["format_unsupported", "layers.5", {}, ["model.layers.5.mlp.down_proj.weight", 16]],
    ["format_missing", "no tensor model.layers.2.self_attn.o_proj.weight", { num_hidden_layers: 3 }],
    [
      "format_missing",
      "no tensor model.layers.1.mlp.down_proj.weight",
      {},
      ["model.layers.1.mlp.down_proj.weight", null],
    ],
    ["format_invalid", "has the shape [8, 16]", {}, ["model.layers.1.mlp.down_proj.weight", 8]],
    ["format_invalid", "16 numbers at layer 0, and the hidden size is 32", { hidden_size: 32 }],
  ])("%s: %s", async (code, problem, config, tensor) => {
    const model = await changed(config, tensor);
    const folder = await temporaryFolder();
    await expect(ablateModel({ model, direction, to: join(folder, "new") })).rejects.toEqual(
      refusal(code, problem),
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it("a zero direction, a folder that is not empty, one that is no model, a stop", async () => {
    const folder = await temporaryFolder();
    const to = join(folder, "new");
    const model = at("tied");
    const zero = { ...direction, vector: new Float32Array(16) };
    await expect(ablateModel({ model, direction: zero, to })).rejects.toEqual(
      refusal("format_value", "zero"),
    );
    await expect(ablateModel({ model, direction, to: model })).rejects.toEqual(
      refusal("format_invalid", "not empty"),
    );
    await expect(ablateModel({ model: folder, direction, to })).rejects.toEqual(
      refusal("format_missing", "config.json"),
    );
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error("stopped"));
    await expect(ablateModel({ model, direction, to, signal: stop.signal, onProgress })).rejects.toThrow(
      "stopped",
    );
    expect(await readdir(folder)).toEqual([]);
  });
});
