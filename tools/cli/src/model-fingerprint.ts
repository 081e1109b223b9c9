import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { modelFolder } from "@residua/tiny-model";
import { UsageError } from "./usage-error.ts";

/** What is computed with: configuration, tokenizer and weights of a folder, or a GGUF file, as 16 hex digits of a SHA-256. */
export async function modelFingerprint(model: string): Promise<string> {
  const hash = createHash("sha256");
  for (const file of await modelFiles(model)) {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  }
  return hash.digest("hex").slice(0, 16);
}

async function modelFiles(model: string): Promise<string[]> {
  const folder = model === "tiny" ? modelFolder : model;
  try {
    const names = await readdir(folder);
    const used = names.filter((name) => /\.(safetensors|gguf|json)$/.test(name) && name !== "figures.json");
    return used.sort().map((name) => join(folder, name));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR" && folder.endsWith(".gguf")) return [folder];
    throw new UsageError(
      `--model: "${model}" is neither tiny, nor a folder or .gguf file that can be read (${code ?? message})`,
    );
  }
}
