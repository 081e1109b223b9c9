import { join } from "node:path";
import * as z from "zod";
import { readJsonFile } from "../files/read-json-file.ts";
import { FormatError } from "../format-error.ts";
import { openSafetensors, type SafetensorsFile } from "../safetensors/read-safetensors.ts";

/** The files of a model's weights, open, in their order. */
export interface ModelWeights {
  readonly files: ReadonlyMap<string, SafetensorsFile>;
  /** The index of a model in several files, else null. */
  readonly index: Readonly<Record<string, unknown>> | null;
  close(): Promise<void>;
}

const indexName = "model.safetensors.index.json";
const indexSchema = z.looseObject({
  weight_map: z.record(z.string(), z.string().regex(/^[\w-][\w.-]*\.safetensors$/)),
});

/** Opens `model.safetensors`, or the files of the index. Throws FormatError. */
export async function openModelWeights(folder: string): Promise<ModelWeights> {
  const index = await readJsonFile(join(folder, indexName)).catch((error: unknown) => {
    if (error instanceof FormatError && error.code === "format_missing") return null;
    throw error;
  });
  const parsed = index === null ? null : indexSchema.safeParse(index);
  if (parsed?.success === false) {
    throw new FormatError("format_invalid", `${join(folder, indexName)} has no weight_map of file names`);
  }
  const names = parsed === null ? ["model.safetensors"] : [...new Set(Object.values(parsed.data.weight_map))];
  const files = new Map<string, SafetensorsFile>();
  const close = async () => void (await Promise.all([...files.values()].map((file) => file.close())));
  try {
    const tensors = new Set<string>();
    for (const name of names) {
      const file = await openSafetensors(join(folder, name));
      files.set(name, file);
      for (const tensor of file.entries.keys()) {
        if (tensors.has(tensor))
          throw new FormatError("format_invalid", `${folder} has the tensor ${tensor} in two files`);
        tensors.add(tensor);
      }
    }
    return { files, index: parsed?.data ?? null, close };
  } catch (error) {
    await close();
    throw error;
  }
}
