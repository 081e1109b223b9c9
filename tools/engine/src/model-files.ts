import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { backendMemory } from "./backend-memory.ts";
import type { BackendName } from "./backend.ts";
import { ggufChatTemplate, readChatTemplate, type ChatTemplate } from "./chat-template.ts";
import { openCheckpoint, readFolderJson, type Checkpoint } from "./checkpoint.ts";
import { ModelFolderError } from "./engine-error.ts";
import { ggufCheckpoint } from "./gguf-checkpoint.ts";
import { readGgufConfig } from "./gguf-config.ts";
import { openGguf } from "./gguf-file.ts";
import { readGgufTokenizer } from "./gguf-tokenizer.ts";
import { parseModelConfig, type ModelConfig } from "./model-config.ts";
import { createTokenizer, type Tokenizer } from "./tokenizer.ts";
import { checkModelSize } from "./weights.ts";

/** The parts of a model on disk, its weights open but not yet read. */
export interface ModelFiles {
  readonly config: ModelConfig;
  readonly checkpoint: Checkpoint;
  readonly readTokenizer: () => Promise<Tokenizer>;
  /** Null where the model has none. */
  readonly readChatTemplate: () => Promise<ChatTemplate | null>;
}

/**
 * Opens a Hugging Face folder, a `.gguf` file, or a folder with one `.gguf` file and no safetensors. A model that
 * the backend cannot hold is refused before its weights are read. Throws ModelFolderError.
 */
export async function openModelFiles(path: string, backend: BackendName = "wasm"): Promise<ModelFiles> {
  const gguf = isGguf(path) ? path : await onlyGguf(path);
  return gguf === null ? openFolder(path, backend) : openGgufModel(gguf, backend);
}

async function openFolder(folder: string, backend: BackendName): Promise<ModelFiles> {
  const config = parseModelConfig(await readFolderJson(folder, "config.json", "config_invalid"));
  checkModelSize(config, backendMemory(backend));
  const tokenizerConfig = () => readFolderJson(folder, "tokenizer_config.json", "tokenizer_invalid");
  return {
    config,
    checkpoint: await openCheckpoint(folder),
    readTokenizer: async () =>
      createTokenizer(
        await readFolderJson(folder, "tokenizer.json", "tokenizer_invalid"),
        await tokenizerConfig(),
      ),
    readChatTemplate: async () => readChatTemplate(folder, await tokenizerConfig()),
  };
}

async function openGgufModel(path: string, backend: BackendName): Promise<ModelFiles> {
  const gguf = await openGguf(path);
  try {
    const config = await readGgufConfig(gguf);
    checkModelSize(config, backendMemory(backend));
    const readTokenizer = () => Promise.resolve().then(() => readGgufTokenizer(gguf, config.vocabSize));
    return {
      config,
      checkpoint: ggufCheckpoint(gguf, config),
      readTokenizer,
      readChatTemplate: () => Promise.resolve(ggufChatTemplate(gguf)),
    };
  } catch (error) {
    await gguf.close();
    throw error;
  }
}

/** The one `.gguf` file of a folder without safetensors, or null: then it is read as a Hugging Face folder. */
async function onlyGguf(folder: string): Promise<string | null> {
  // A folder that cannot be listed is refused where its config.json is read.
  const names = await readdir(folder).catch(() => []);
  const found = names.filter(isGguf).sort();
  if (found.length === 0 || names.some((name) => name.endsWith(".safetensors"))) return null;
  if (found.length > 1) {
    throw new ModelFolderError(
      "folder_unreadable",
      `${folder} holds ${found.length} GGUF files; give the path of one: ${found.join(", ")}`,
      { folder, files: found },
    );
  }
  return join(folder, found[0]!);
}

function isGguf(path: string): boolean {
  return path.toLowerCase().endsWith(".gguf");
}
