import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Direction } from "../direction.ts";
import { shown } from "../read-row.ts";
import { SteeringError } from "../steering-error.ts";
import { readDirectionFile } from "./direction-file.ts";

const ending = ".safetensors";

/**
 * Every direction that `saveDirection` put into a folder, by name; each name has its directions ascending by layer. Other files than
 * `.safetensors` are left alone. Throws SteeringError `direction_file`, FormatError.
 */
export async function loadDirections(folder: string): Promise<ReadonlyMap<string, readonly Direction[]>> {
  if (typeof folder !== "string" || folder === "") {
    throw new SteeringError(
      "steering_option",
      `folder: ${shown(folder)} given; allowed: the path of a folder`,
    );
  }
  const files = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    throw new SteeringError(
      "direction_file",
      `the folder of directions ${folder} cannot be read (${cause.code ?? cause.message})`,
      { path: folder },
    );
  });
  const all = new Map<string, readonly Direction[]>();
  for (const file of files.filter((name) => name.endsWith(ending)).sort()) {
    const name = file.slice(0, -ending.length);
    all.set(name, await readDirectionFile(join(folder, file), name));
  }
  return all;
}
