import type { StoredDtype } from "../arrays/stored-array.ts";

/** The format's names of the types that are read and written, in the order in which the original writer lays tensors. */
export const safetensorsDtypes: ReadonlyMap<string, StoredDtype> = new Map<string, StoredDtype>([
  ["U64", "uint64"],
  ["I64", "int64"],
  ["F64", "float64"],
  ["F32", "float32"],
  ["U32", "uint32"],
  ["I32", "int32"],
  ["BF16", "bfloat16"],
  ["F16", "float16"],
  ["U16", "uint16"],
  ["I16", "int16"],
  ["I8", "int8"],
  ["U8", "uint8"],
  ["BOOL", "bool"],
]);
