import { fileURLToPath } from "node:url";

/** The path of the trained model: a Hugging Face folder (config.json, tokenizer.json, model.safetensors, README.md). */
export const modelFolder: string = fileURLToPath(new URL("../model", import.meta.url));
