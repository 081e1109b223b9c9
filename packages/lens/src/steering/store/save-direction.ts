import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { storeFloats } from "../../formats/arrays/stored-floats.ts";
import { writeSafetensors } from "../../formats/safetensors/write-safetensors.ts";
import { checkName, type Direction, direction, needDirection } from "../direction.ts";
import { shown } from "../read-row.ts";
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
 * `direction_file` (the name is taken), `steering_layer`, `steering_width`, `steering_option`, `steering_not_finite`.
 */
export async function saveDirection(
  folder: string,
  given: Direction | readonly Direction[],
  options: SaveDirectionOptions = {},
): Promise<string> {
  const { name, replace = false } = checkGiven(folder, options);
  const many = Array.isArray(given) ? (given as readonly Direction[]) : [given as Direction];
  // All that loadDirections asks for, so that no file spoils its folder. The name is checked once, below.
  const list = many.map((one, i) => {
    needDirection(one, Array.isArray(given) ? `direction ${i}` : "direction");
    return { ...direction({ ...one, name: undefined }), name: one.name };
  });
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

function checkGiven(folder: unknown, options: unknown): SaveDirectionOptions {
  const refuse = (what: string, given: unknown, allowed: string): never => {
    throw new SteeringError("steering_option", `${what}: ${shown(given)} given; allowed: ${allowed}`);
  };
  if (typeof folder !== "string" || folder === "") refuse("folder", folder, "the path of a folder");
  if (typeof options !== "object" || options === null)
    refuse("options", options, "an object, { name, replace }");
  const { replace } = options as SaveDirectionOptions;
  if (replace !== undefined && typeof replace !== "boolean") refuse("replace", replace, "true or false");
  return options as SaveDirectionOptions;
}

/** What is looked at of a direction that is checked. */
type Named = Pick<Direction, "layer" | "vector" | "method"> & { name: string | undefined };

function nameOf(list: readonly Named[], given: string | undefined): string {
  const names = new Set(list.map(({ name }) => name));
  const [own] = names;
  const name = given ?? (names.size === 1 ? own : undefined);
  if (name !== undefined) return checkName(name);
  throw new SteeringError(
    "direction_name",
    "no name given and the directions have no common one; allowed: saveDirection(folder, directions, { name })",
  );
}

function checkLayers(list: readonly Named[], name: string): void {
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
