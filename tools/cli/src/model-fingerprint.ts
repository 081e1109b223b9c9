import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { modelFolder } from "@residua/tiny-model";
import { UsageError } from "./failure.ts";

/** What is computed with: `config.json`, the tokenizer and the weights of a folder, as 16 hex digits of a SHA-256. */
export async function modelFingerprint(model: string): Promise<string> {
  const folder = model === "tiny" ? modelFolder : model;
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `--model: "${model}" is neither tiny nor a folder that can be read (${error.code ?? error.message})`,
    );
  });
  const hash = createHash("sha256");
  for (const name of files
    .filter((file) => /\.(safetensors|json)$/.test(file) && file !== "figures.json")
    .sort()) {
    hash.update(name);
    for await (const chunk of createReadStream(join(folder, name))) hash.update(chunk as Buffer);
  }
  return hash.digest("hex").slice(0, 16);
}
