import { ResiduaError } from "@residua/client";
import * as z from "zod";
import { storedFloats } from "../../formats/arrays/stored-floats.ts";
import { openSafetensors, type SafetensorsFile } from "../../formats/safetensors/read-safetensors.ts";
import { checkName, type Direction, direction } from "../direction.ts";
import { SteeringError } from "../steering-error.ts";

/** Says in a header that the file is one of ours. */
export const directionFormat = "residua.direction";
/** Which layer `layer_L` is. Others are converted where they are imported. */
export const layerConvention = "output of decoder block L, from 0, before the final norm";

const headerSchema = z.object({
  format: z.literal(directionFormat),
  version: z.literal("1"),
  name: z.string(),
  layer_convention: z.literal(layerConvention),
  methods: z.string(),
});
const methodsSchema = z.record(z.string(), z.string());

/**
 * The directions of one file, ascending by layer. Throws SteeringError `direction_file` for a file that is none, or whose name is
 * another than the one in its header; FormatError for one that is no safetensors.
 */
export async function readDirectionFile(path: string, name: string): Promise<readonly Direction[]> {
  const file = await openSafetensors(path);
  try {
    return await directionsOf(file, path, name);
  } catch (error) {
    // What is wrong with a row does not know the file that it is in.
    if (!(error instanceof ResiduaError) || error.message.includes(path)) throw error;
    throw notSaved(path, error.message);
  } finally {
    await file.close();
  }
}

async function directionsOf(
  file: SafetensorsFile,
  path: string,
  name: string,
): Promise<readonly Direction[]> {
  const refuse = (why: string): never => {
    throw notSaved(path, why);
  };
  const header = headerSchema.safeParse(file.metadata);
  if (!header.success) {
    const [issue] = header.error.issues;
    return refuse(
      `its header's ${issue?.path.join(".") || "metadata"}: ${issue?.message}; vectors of other tools are imported first`,
    );
  }
  if (header.data.name !== name)
    refuse(`its header calls it ${JSON.stringify(header.data.name)}: it was renamed`);
  checkName(name);
  const methods = methodsSchema.safeParse(json(header.data.methods));
  if (!methods.success) return refuse("its header's methods are no JSON object of texts");
  const found: Direction[] = [];
  for (const [tensor, { shape }] of file.entries) {
    const layer = /^layer_(0|[1-9]\d{0,8})$/.exec(tensor)?.[1];
    const method = layer === undefined ? undefined : methods.data[layer];
    if (layer === undefined || method === undefined || shape.length !== 1) {
      return refuse(
        `tensor ${JSON.stringify(tensor)} of shape [${shape.join(", ")}]; expected layer_L of shape [hidden size], with a method`,
      );
    }
    const vector = storedFloats(await file.read(tensor), tensor);
    found.push(direction({ layer: Number(layer), vector, name, method }));
  }
  const [first] = found;
  if (first === undefined || found.some(({ vector }) => vector.length !== first.vector.length))
    refuse("it has no tensors, or tensors of different lengths");
  return Object.freeze(found.sort((a, b) => a.layer - b.layer));
}

function notSaved(path: string, why: string): SteeringError {
  return new SteeringError("direction_file", `${path} is no saved direction: ${why}`, { path });
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
