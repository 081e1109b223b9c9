import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import {
  aFunction,
  anyText,
  bytes as bytesKind,
  fields,
  listOf,
  mapOf,
  oneOf,
  text,
  texts,
  whole,
} from "../../arguments/kinds.ts";
import {
  checkStored,
  storedArray,
  storedBytes,
  storedSize,
  type StoredArray,
} from "../arrays/stored-array.ts";
import { countedParts } from "../files/counted-parts.ts";
import { concatBytes } from "../files/concat-bytes.ts";
import { writeFileWhole } from "../files/write-file.ts";
import { FormatError } from "../format-error.ts";
import { safetensorsDtypes } from "./safetensors-dtypes.ts";

/** A tensor that is going to be written. */
export type TensorPlan = Pick<StoredArray, "dtype" | "shape"> & { readonly name: string };

const planKind = fields(
  { name: anyText, dtype: oneOf(Object.keys(storedBytes)), shape: listOf(whole(0)) },
  { loose: true },
);
const storedForm = fields({ bytes: bytesKind }, { loose: true });

const dtypes = [...safetensorsDtypes.values()];
const nameOf = new Map([...safetensorsDtypes].map(([name, dtype]) => [dtype, name]));

/**
 * The tensors in the order in which they lie in the file, wide types first so that every one is aligned, and the bytes before
 * them: length, JSON, spaces up to a multiple of 8. The original writer orders and pads the same.
 */
function encodeSafetensorsHeader(
  tensors: readonly TensorPlan[],
  metadata: Readonly<Record<string, string>> = {},
): { header: Uint8Array; order: readonly TensorPlan[] } {
  const order = [...tensors].sort(
    (a, b) => dtypes.indexOf(a.dtype) - dtypes.indexOf(b.dtype) || (a.name < b.name ? -1 : 1),
  );
  const parts: string[] = [];
  if (Object.keys(metadata).length > 0) parts.push(`"__metadata__":${JSON.stringify(metadata)}`);
  const names = new Set(["__metadata__"]);
  let end = 0;
  for (const { name, dtype, shape } of order) {
    if (names.has(name)) {
      throw new FormatError(
        "format_invalid",
        `a tensor cannot be called ${JSON.stringify(name)}: it is taken`,
      );
    }
    names.add(name);
    const begin = end;
    end += storedSize(dtype, shape);
    const entry = { dtype: nameOf.get(dtype), shape, data_offsets: [begin, end] };
    parts.push(`${JSON.stringify(name)}:${JSON.stringify(entry)}`);
  }
  // Joined by hand: an object would move a name such as "0" to its front.
  const json = new TextEncoder().encode(`{${parts.join(",")}}`);
  const header = new Uint8Array(8 + Math.ceil(json.length / 8) * 8).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(header.length - 8), true);
  header.set(json, 8);
  return { header, order };
}

/** A safetensors file in memory. Throws FormatError. */
export function encodeSafetensors(
  tensors: ReadonlyMap<string, StoredArray>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  checkFormatArguments("encodeSafetensors", {
    tensors: [tensors, mapOf(storedArray)],
    metadata: [metadata, texts],
  });
  const plans = [...tensors].map(([name, { dtype, shape }]) => ({ name, dtype, shape }));
  const { header, order } = encodeSafetensorsHeader(plans, metadata);
  return concatBytes([header, ...order.map(({ name }) => tensors.get(name)!.bytes)]);
}

/**
 * Writes a safetensors file whole or not at all; `read` gives one tensor at a time, or its bytes in parts (little-endian, C
 * order), of which one need be in memory. Throws FormatError.
 */
export async function writeSafetensors(
  path: string,
  tensors: readonly TensorPlan[],
  read: (name: string) => StoredArray | AsyncIterable<Uint8Array> | Promise<StoredArray>,
  metadata: Readonly<Record<string, string>> = {},
): Promise<void> {
  checkFormatArguments("writeSafetensors", {
    path: [path, text],
    tensors: [tensors, listOf(planKind)],
    read: [read, aFunction],
    metadata: [metadata, texts],
  });
  const { header, order } = encodeSafetensorsHeader(tensors, metadata);
  await writeFileWhole(path, parts());

  async function* parts() {
    yield header;
    for (const { name, dtype, shape } of order) {
      const stored = await read(name);
      const called = `tensor ${JSON.stringify(name)}`;
      if (isParts(stored)) {
        yield* countedParts(stored, storedSize(dtype, shape), called);
        continue;
      }
      checkFormatArguments("writeSafetensors", { [`what read gave for ${name}`]: [stored, storedForm] });
      const { bytes } = stored;
      checkStored({ dtype, shape, bytes }, called);
      yield bytes;
    }
  }
}

function isParts(given: StoredArray | AsyncIterable<Uint8Array>): given is AsyncIterable<Uint8Array> {
  return typeof given === "object" && given !== null && Symbol.asyncIterator in given;
}
