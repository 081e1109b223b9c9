import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { storedFloats } from "../formats/arrays/stored-floats.ts";
import { FormatError } from "../formats/format-error.ts";
import { openSafetensors } from "../formats/safetensors/read-safetensors.ts";
import type { Unembedding } from "./self-test-context.ts";

const configSchema = z.looseObject({
  rms_norm_eps: z.number().positive(),
  tie_word_embeddings: z.boolean().optional(),
});
const indexSchema = z.looseObject({ weight_map: z.record(z.string(), z.string().regex(/^[\w.-]+$/)) });

/**
 * The final norm and the unembedding of a Hugging Face folder of the Llama family (`config.json` and safetensors, whole or in shards).
 * Rows are read as they are asked for; `close` closes the files. Throws FormatError.
 */
export async function openUnembedding(folder: string): Promise<Unembedding & { close(): Promise<void> }> {
  const config = await readJson(join(folder, "config.json"), configSchema);
  const index = await readJson(join(folder, "model.safetensors.index.json"), indexSchema).catch(
    (error: FormatError) => {
      if (error.code === "format_missing") return undefined;
      throw error;
    },
  );
  const head = config.tie_word_embeddings === true ? "model.embed_tokens.weight" : "lm_head.weight";
  const open = async (name: string) =>
    openSafetensors(join(folder, index?.weight_map[name] ?? "model.safetensors"));
  const norm = await open("model.norm.weight");
  try {
    const finalNorm = storedFloats(await norm.read("model.norm.weight"), "model.norm.weight");
    const file = await open(head);
    return {
      finalNorm,
      epsilon: config.rms_norm_eps,
      row: async (token) => storedFloats(await file.readRows(head, token, 1), head),
      close: () => file.close(),
    };
  } finally {
    await norm.close();
  }
}

async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new FormatError(
      "format_missing",
      `${path} cannot be read (${cause.code ?? cause.message})`,
      {},
      { cause },
    );
  });
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new FormatError("format_invalid", `${path} is not as expected: ${z.prettifyError(parsed.error)}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
