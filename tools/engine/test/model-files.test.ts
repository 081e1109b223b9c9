import { copyFile, cp, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBackend, tensorCount } from "../src/backend.ts";
import { loadModel } from "../src/model.ts";
import { openModelFiles } from "../src/model-files.ts";
import { entry, f32, gguf, tensor, text, u32 } from "./gguf-bytes.ts";
import { ggufModel, oddModel } from "./support.ts";

let scratch: string;
beforeAll(async () => {
  await startBackend();
  scratch = await mkdtemp(join(tmpdir(), "residua-model-files-"));
});
afterAll(() => rm(scratch, { recursive: true }));

const folder = async (name: string, ...files: string[]) => {
  const path = await mkdtemp(join(scratch, name));
  for (const file of files) await copyFile(ggufModel("llama"), join(path, file));
  return path;
};

test("a .gguf file and the folder that holds it are the same model, from text to text", async () => {
  const before = tensorCount();
  const texts: string[] = [];
  for (const path of [ggufModel("llama"), await folder("one", "Model.GGUF")]) {
    const model = await loadModel(path);
    const prompt = model.tokenizer.encode("The city of Rome");
    const [generation] = await model.generate([{ prompt, maxTokens: 6, temperature: 0, capture: [2] }]);
    texts.push(generation!.choices[0]!.text);
    expect(generation!.capture!.values[0]!.length).toBe(generation!.capture!.positions * 64);
    await model.dispose();
  }
  expect(texts[0]).not.toBe("");
  expect(texts[1]).toBe(texts[0]);
  expect(tensorCount()).toBe(before);
});

test("beside safetensors a .gguf file is left alone", async () => {
  const path = await folder("both", "a.gguf");
  await cp(oddModel, path, { recursive: true });
  const { config, checkpoint } = await openModelFiles(path);
  await checkpoint.close();
  expect(config.hiddenSize).toBe(42);
});

describe("refused", () => {
  test("a folder with several files, each named", async () => {
    const opened = openModelFiles(await folder("two", "b.gguf", "a.gguf"));
    await expect(opened).rejects.toMatchObject({ code: "folder_unreadable" });
    await expect(opened).rejects.toThrow("holds 2 GGUF files; give the path of one: a.gguf, b.gguf");
  });

  test("a file that is not there, one that is cut, one without a tokenizer", async () => {
    const missing = loadModel(join(scratch, "none.gguf"));
    await expect(missing).rejects.toMatchObject({ code: "folder_unreadable" });
    const cut = join(scratch, "cut.gguf");
    await writeFile(cut, (await readFile(ggufModel("llama"))).subarray(0, 200_000));
    await expect(loadModel(cut)).rejects.toMatchObject({ code: "weights_invalid" });
    await expect(loadModel(ggufModel("qwen2"))).rejects.toMatchObject({ code: "tokenizer_invalid" });
  });

  test("a folder of a model that is too large, before its weights are looked for", async () => {
    const path = await folder("large");
    const config = JSON.parse(await readFile(join(oddModel, "config.json"), "utf8")) as object;
    await writeFile(
      join(path, "config.json"),
      JSON.stringify({ ...config, hidden_size: 4096, vocab_size: 256_000, tie_word_embeddings: true }),
    );
    await expect(loadModel(path)).rejects.toMatchObject({ code: "model_too_large" });
  });

  test("a model that is too large once decoded, with the sum and before its weights are read", async () => {
    const [vocab, hidden] = [256 * 1024, 4096];
    const bytes = gguf({
      entries: [
        entry("general.architecture", 8, text("llama")),
        entry("llama.context_length", 4, u32(4096)),
        entry("llama.embedding_length", 4, u32(hidden)),
        entry("llama.feed_forward_length", 4, u32(64)),
        entry("llama.block_count", 4, u32(1)),
        entry("llama.attention.head_count", 4, u32(32)),
        entry("llama.attention.layer_norm_rms_epsilon", 6, f32(1e-5)),
      ],
      tensors: [tensor("token_embd.weight", [hidden, vocab], 2, 0)],
    });
    const path = join(scratch, "large.gguf");
    await writeFile(path, bytes);
    // The table of 604 MB in Q4_0 is a hole in the file.
    await truncate(path, bytes.length + (vocab * hidden * 18) / 32);
    // 4096 × 128 × (2 × 32 + 2 × 32) + 3 × 4096 × 64 + 4096 × 262144
    const parameters = 4096 * 128 * 128 + 3 * 4096 * 64 + 4096 * 262144;
    const loaded = loadModel(path);
    await expect(loaded).rejects.toMatchObject({ code: "model_too_large", data: { parameters } });
    await expect(loaded).rejects.toThrow(`${parameters} matrix parameters × 4 bytes × 2 copies + 0.25 GiB`);
  });
});
