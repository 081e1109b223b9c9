import { openNpy, openSafetensors, type StoredArray } from "@residua/lens";
import { basename } from "node:path";
import { columnError, readingFile } from "./convert-errors.ts";

/** Arrays in a file or in several, of which rows are read alone. */
export interface TensorFile {
  readonly kind: string;
  readonly path: string;
  readonly metadata: ReadonlyMap<string, string>;
  /** Whether this text is in its metadata, where it has any. */
  readonly mentions: (text: string) => boolean;
  readonly hashed: "maybe" | "no";
  readonly arrays: ReadonlyMap<string, Pick<StoredArray, "dtype" | "shape">>;
  /** Entries `from` to `to` − 1 along all axes but the last. */
  readRows(name: string, from: number, to: number): Promise<StoredArray>;
}

/** A safetensors file. Throws DatasetError. */
export async function safetensorsFile(path: string): Promise<TensorFile> {
  const open = <T>(use: (file: Awaited<ReturnType<typeof openSafetensors>>) => T | Promise<T>): Promise<T> =>
    readingFile(path, "safetensors", async () => {
      const file = await openSafetensors(path);
      try {
        return await use(file);
      } finally {
        await file.close();
      }
    });
  return open(({ entries, metadata }) => ({
    kind: "safetensors",
    path,
    metadata: new Map(Object.entries(metadata)),
    mentions: (text) => Object.keys(metadata).some((key) => key.includes(text)),
    hashed: "maybe",
    arrays: entries,
    readRows: (name, from, to) =>
      open((file) => file.readRows(name, from, to - from, axesOf(entries.get(name)))),
  }));
}

/** Several .npy files, by a name for each. Throws DatasetError. */
export async function npyFiles(path: string, files: ReadonlyMap<string, string>): Promise<TensorFile> {
  const open = <T>(
    file: string,
    use: (npy: Awaited<ReturnType<typeof openNpy>>) => T | Promise<T>,
  ): Promise<T> =>
    readingFile(file, ".npy", async () => {
      // Without a name two bytes can be nothing but bfloat16: NumPy has no other type that it writes so.
      const npy = await openNpy(file, { voidAs: "bfloat16" });
      try {
        return await use(npy);
      } finally {
        await npy.close();
      }
    });
  const arrays = new Map<string, Pick<StoredArray, "dtype" | "shape">>();
  for (const [name, file] of files) {
    arrays.set(name, await open(file, ({ dtype, shape }) => ({ dtype, shape })));
  }
  return {
    kind: ".npy",
    path,
    metadata: new Map(),
    mentions: () => false,
    hashed: "no",
    arrays,
    readRows: (name, from, to) =>
      open(files.get(name) as string, (npy) => npy.readRows(from, to - from, axesOf(npy))),
  };
}

function axesOf(array: Pick<StoredArray, "shape"> | undefined): number {
  return Math.max(1, (array?.shape.length ?? 0) - 1);
}

/** A .npy file by its own name. */
export async function npyFile(path: string): Promise<TensorFile> {
  return npyFiles(path, new Map([[basename(path, ".npy"), path]]));
}

/** Where the rows of a layer are: an array of [rows, width], or the `index`-th part of one of [layers, rows, width]. */
interface LayerPlace {
  layer: number;
  array: string;
  index?: number;
}

export interface LayerPlaces {
  rows: number;
  width: number;
  dtype: StoredArray["dtype"];
  places: readonly LayerPlace[];
}

/**
 * Finds the layers in arrays: those called `layer_L`, or as `layers` says; an array of three axes has the layers of `axis` along
 * its first. Throws DatasetError.
 */
export function findLayers(
  file: TensorFile,
  {
    layers,
    axis,
  }: { layers?: Readonly<Record<number, string>> | undefined; axis?: readonly number[] | undefined },
): LayerPlaces {
  const { path, arrays } = file;
  const [only] = arrays.keys();
  const refuse = (array: string, found: string, expected: string, advice: string): never => {
    throw columnError(path, array, found, expected, advice);
  };
  const called = [...arrays.keys()].flatMap((array) => {
    const layer = /^layer_(-1|\d{1,6})$/.exec(array)?.[1];
    return layer === undefined ? [] : [{ layer: Number(layer), array }];
  });
  const stated = Object.entries(layers ?? {}).map(([layer, array]) => ({ layer: Number(layer), array }));
  const whole = axis && arrays.size === 1 && only !== undefined ? only : undefined;
  const places: LayerPlace[] =
    whole === undefined
      ? layers
        ? stated
        : called
      : (axis as readonly number[]).map((layer, index) => ({ layer, array: whole, index }));
  places.sort((a, b) => a.layer - b.layer);
  const [first] = places;
  if (first === undefined) {
    return refuse(
      only ?? "",
      `is not called layer_L; there are ${[...arrays.keys()].join(", ")}`,
      "an array for each layer",
      'Say in the map which array is which layer (layers: { 16: "name" }), or which layers lie along the first axis (axis: [0, 1]).',
    );
  }
  const formOf = ({ array, index }: LayerPlace) => {
    const known =
      arrays.get(array) ??
      refuse(array, "is not in the file", `one of ${[...arrays.keys()].join(", ")}`, "Correct the map.");
    const shape = index === undefined ? known.shape : known.shape.slice(1);
    const [rows, width] = shape;
    const shown = `has the shape [${known.shape.join(", ")}]`;
    if (rows === undefined || width === undefined || shape.length !== 2 || width === 0) {
      return refuse(
        array,
        shown,
        index === undefined ? "[rows, width]" : "[layers, rows, width]",
        "Reshape the array.",
      );
    }
    if (index !== undefined && known.shape[0] !== axis?.length) {
      return refuse(
        array,
        shown,
        `${axis?.length} layers along the first axis`,
        "Name as many layers as there are.",
      );
    }
    return { rows, width, dtype: known.dtype };
  };
  const form = formOf(first);
  for (const place of places) {
    const { rows, width, dtype } = formOf(place);
    if (rows === form.rows && width === form.width && dtype === form.dtype) continue;
    refuse(
      place.array,
      `is [${rows}, ${width}] of ${dtype}`,
      `[${form.rows}, ${form.width}] of ${form.dtype}, as the first`,
      "Leave it out.",
    );
  }
  return { ...form, places };
}
