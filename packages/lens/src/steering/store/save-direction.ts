import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { storeFloats } from "../../formats/arrays/stored-floats.ts";
import { writeSafetensors } from "../../formats/safetensors/write-safetensors.ts";
import { checkName, type Direction } from "../direction.ts";
import { SteeringError } from "../steering-error.ts";
import { directionFormat, layerConvention } from "./direction-file.ts";

export interface SaveDirectionOptions {
  /** Default: the name that the directions have. */
  name?: string;
  /** Default false: a name that is taken is an error. */
  replace?: boolean;
}

/**
 * Saves a direction, or those of several layers under one name, as `NAME.safetensors` in a folder: a tensor `layer_L` for each, how they
 * were found in the header. Written whole or not at all. Gives the path. Throws SteeringError: `direction_name`,
 * `direction_file` (the name is taken), `steering_layer`, `steering_width`.
 */
export async function saveDirection(
  folder: string,
  given: Direction | readonly Direction[],
  { name, replace = false }: SaveDirectionOptions = {},
): Promise<string> {
  const list = "vector" in given ? [given] : [...given];
  const called = nameOf(list, name);
  checkLayers(list, called);
  const path = join(folder, `${called}.safetensors`);
  const arrays = new Map(
    list.map(({ layer, vector }) => [`layer_${layer}`, storeFloats(vector, [vector.length])]),
  );
  const metadata = {
    ...{ format: directionFormat, version: "1", name: called, layer_convention: layerConvention },
    methods: JSON.stringify(Object.fromEntries(list.map(({ layer, method }) => [layer, method]))),
  };
  await mkdir(folder, { recursive: true });
  if (!replace) await claim(path, called);
  try {
    const plans = [...arrays].map(([tensor, { dtype, shape }]) => ({ name: tensor, dtype, shape }));
    await writeSafetensors(path, plans, (tensor) => arrays.get(tensor)!, metadata);
  } catch (error) {
    if (!replace) await rm(path, { force: true });
    throw error;
  }
  return path;
}

function nameOf(list: readonly Direction[], given: string | undefined): string {
  const names = new Set(list.map(({ name }) => name));
  const [own] = names;
  const name = given ?? (names.size === 1 ? own : undefined);
  if (name !== undefined) return checkName(name);
  throw new SteeringError(
    "direction_name",
    "no name given and the directions have no common one; allowed: saveDirection(folder, directions, { name })",
  );
}

function checkLayers(list: readonly Direction[], name: string): void {
  const layers = list.map(({ layer }) => layer);
  if (list.length === 0 || new Set(layers).size !== layers.length) {
    throw new SteeringError(
      "steering_layer",
      `${name}: layers ${layers.join(", ") || "none"} given; allowed: at least one, each once`,
    );
  }
  const [first] = list;
  const odd = list.find(({ vector }) => vector.length !== first?.vector.length);
  if (odd === undefined) return;
  throw new SteeringError(
    "steering_width",
    `${name}: layer ${odd.layer} has ${odd.vector.length} numbers and layer ${first?.layer} ${first?.vector.length}; all need one width`,
  );
}

/** Takes the name by an empty file, so that of two who save at once one is refused. */
async function claim(path: string, name: string): Promise<void> {
  try {
    await (await open(path, "wx")).close();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    throw new SteeringError(
      "direction_file",
      `a direction named ${name} is saved already (${path}); nothing was written; allowed: another name, or replace: true`,
      { path },
    );
  }
}
