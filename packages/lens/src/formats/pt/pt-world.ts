import { storedBytes, type StoredDtype } from "../arrays/stored-array.ts";
import { FormatError } from "../format-error.ts";
import { PickleGlobal, type PickleKey, type PickleValue } from "../pickle/pickle-value.ts";
import type { PickleWorld } from "../pickle/unpickle.ts";
import { PtStorage, PtTensor } from "./pt-tensor.ts";

/** The storage classes of torch and the type of their numbers. */
const storageDtypes: Readonly<Record<string, StoredDtype>> = {
  DoubleStorage: "float64",
  FloatStorage: "float32",
  HalfStorage: "float16",
  BFloat16Storage: "bfloat16",
  LongStorage: "int64",
  IntStorage: "int32",
  ShortStorage: "int16",
  CharStorage: "int8",
  ByteStorage: "uint8",
  BoolStorage: "bool",
};

/** Where the bytes of a storage lie: known at once in a zip, or later in the file where it is a legacy one. */
export type StorageBytes = (key: string, dtype: StoredDtype, numbers: number) => () => Uint8Array;

/** The names that a pickle of tensors needs, and nothing else. */
export function ptWorld(file: string, storageBytes: StorageBytes): PickleWorld {
  const storages = new Map<string, PtStorage>();
  const globals = new Map(
    [
      new PickleGlobal("collections OrderedDict", (args) => orderedDict(args, file)),
      new PickleGlobal("torch._utils _rebuild_tensor_v2", (args) => rebuildTensor(args, file)),
      new PickleGlobal("torch._utils _rebuild_parameter", ([data]) => tensorOf(data, file)),
      ...Object.keys(storageDtypes).map((name) => new PickleGlobal(`torch ${name}`)),
    ].map((global) => [global.name, global]),
  );
  return {
    globals,
    persistent(id) {
      const [kind, type, key, , numbers] = Array.isArray(id) ? (id as PickleValue[]) : [];
      const dtype =
        type instanceof PickleGlobal ? storageDtypes[type.name.slice("torch ".length)] : undefined;
      if (kind !== "storage" || dtype === undefined || typeof key !== "string" || !isCount(numbers)) {
        return malformed(file, "a storage that is not described as torch does");
      }
      const known = storages.get(key);
      if (known !== undefined && (known.dtype !== dtype || known.numbers !== numbers)) {
        return malformed(file, `the storage ${key} described in two ways`);
      }
      const storage = known ?? new PtStorage(dtype, numbers, storageBytes(key, dtype, numbers));
      storages.set(key, storage);
      return storage;
    },
  };
}

/** Checks the size of a storage's bytes. */
export function checkStorage(bytes: number, dtype: StoredDtype, numbers: number, file: string): void {
  if (bytes === numbers * storedBytes[dtype]) return;
  malformed(file, `a storage of ${bytes} bytes for ${numbers} numbers of ${dtype}`);
}

function orderedDict([items]: readonly PickleValue[], file: string): PickleValue {
  if (items === undefined) return new Map();
  if (!Array.isArray(items)) return malformed(file, "an OrderedDict that is not made of pairs");
  const pairs = (items as PickleValue[]).map((pair): [PickleKey, PickleValue] => {
    const [key, value] = Array.isArray(pair) ? (pair as PickleValue[]) : [];
    if (value === undefined || (typeof key === "object" && key !== null)) {
      return malformed(file, "an OrderedDict that is not made of pairs");
    }
    return [key as PickleKey, value];
  });
  return new Map(pairs);
}

function rebuildTensor([storage, offset, shape, strides]: readonly PickleValue[], file: string): PtTensor {
  if (
    !(storage instanceof PtStorage) ||
    !isCount(offset) ||
    !isCounts(shape) ||
    !isCounts(strides) ||
    shape.length !== strides.length ||
    shape.length > 16
  ) {
    return malformed(file, "a tensor that is not described as torch does");
  }
  return new PtTensor(storage, offset, shape, strides, file);
}

function tensorOf(value: PickleValue | undefined, file: string): PtTensor {
  return value instanceof PtTensor ? value : malformed(file, "a parameter that is no tensor");
}

function isCount(value: PickleValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isCounts(value: PickleValue | undefined): value is readonly number[] {
  return Array.isArray(value) && (value as PickleValue[]).every(isCount);
}

function malformed(file: string, what: string): never {
  throw new FormatError("format_invalid", `${file} has ${what}`, { file });
}
