import { Bool, Field, Float64, Int32, List, makeData, Utf8, type Data } from "apache-arrow";
import type { ColumnField, ColumnValue } from "./column-field.ts";
import { isWellFormed } from "./well-formed.ts";

/** A value that its column cannot hold, for the caller to wrap with the file's path. */
export class ColumnValueError extends Error {
  readonly expected: string;
  constructor(found: string, expected: string) {
    super(found);
    this.expected = expected;
  }
}

/** A batch whose texts or lists have more bytes than Arrow's offsets can tell: it must be cut. */
export class BatchTooLargeError extends Error {}

/** What the offsets of one batch reach at most; Arrow's are 32-bit, and other readers have buffers of 2 GiB. */
const mostBytes = 1 << 30;

/** Values of one column (not a layer) as Arrow's buffers. Throws ColumnValueError: nothing is cut or rounded in silence. */
export function encodeColumn(field: ColumnField, values: readonly ColumnValue[]): Data {
  const { nullBitmap, nullCount } = nullsOf(field, values);
  const common = { length: values.length, nullCount, ...(nullBitmap && { nullBitmap }) };
  switch (field.type) {
    case "utf8": {
      const { valueOffsets, data } = encodeTexts(field, values);
      return makeData({ type: new Utf8(), ...common, valueOffsets, data });
    }
    case "bool": {
      const data = new Uint8Array((values.length + 7) >> 3);
      each(field, values, isBoolean, (value, row) => {
        if (value) data[row >> 3] = (data[row >> 3] as number) | (1 << (row & 7));
      });
      return makeData({ type: new Bool(), ...common, data });
    }
    case "float64": {
      const data = new Float64Array(values.length);
      each(field, values, isNumber, (value, row) => (data[row] = value));
      return makeData({ type: new Float64(), ...common, data });
    }
    case "int32": {
      const data = new Int32Array(values.length);
      each(field, values, isInt32, (value, row) => (data[row] = value));
      return makeData({ type: new Int32(), ...common, data });
    }
    case "int32[]": {
      const { valueOffsets, data } = encodeLists(field, values);
      const child = makeData({ type: new Int32(), length: data.length, nullCount: 0, data });
      const type = new List(new Field("item", new Int32(), false));
      return makeData({ type, ...common, valueOffsets, child });
    }
  }
}

/** Whether a column can hold these values. Throws ColumnValueError. */
export function checkCells(field: ColumnField, values: readonly ColumnValue[]): void {
  nullsOf(field, values);
  each(field, values, kinds[field.type], () => undefined);
}

const isText = (value: unknown): value is string => typeof value === "string" && isWellFormed(value);
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isNumber = (value: unknown): value is number => typeof value === "number";
const isInt32 = (value: unknown): value is number => typeof value === "number" && (value | 0) === value;
const isInt32List = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every(isInt32);

const kinds: Readonly<Record<ColumnField["type"], (value: unknown) => value is ColumnValue>> = {
  utf8: isText,
  bool: isBoolean,
  float64: isNumber,
  int32: isInt32,
  "int32[]": isInt32List,
};

function nullsOf({ name, nullable }: ColumnField, values: readonly ColumnValue[]) {
  let nullBitmap: Uint8Array | undefined;
  let nullCount = 0;
  for (let row = 0; row < values.length; row++) {
    if (values[row] !== null) continue;
    if (!nullable)
      throw new ColumnValueError(`column "${name}" with null in row ${row}`, "a value in each row");
    nullBitmap ??= new Uint8Array((values.length + 7) >> 3).fill(0xff);
    nullBitmap[row >> 3] = (nullBitmap[row >> 3] as number) & ~(1 << (row & 7));
    nullCount++;
  }
  return { nullBitmap, nullCount };
}

function each<T extends ColumnValue>(
  { name, type }: ColumnField,
  values: readonly ColumnValue[],
  is: (value: unknown) => value is T,
  take: (value: T, row: number) => void,
): void {
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (value === null) continue;
    if (!is(value)) {
      const given = Array.isArray(value) ? "such a list" : `${typeof value} ${String(value)}`;
      throw new ColumnValueError(`column "${name}" with ${given} in row ${row}`, expectedOf[type]);
    }
    take(value, row);
  }
}

const expectedOf = {
  utf8: "a text or null, without half of a surrogate pair",
  bool: "true, false or null",
  float64: "a number or null (integers beyond 2^53 as texts)",
  int32: "an integer from -2147483648 to 2147483647, or null",
  "int32[]": "a list of integers from -2147483648 to 2147483647, or null",
} as const;

function encodeTexts(field: ColumnField, values: readonly ColumnValue[]) {
  const valueOffsets = new Int32Array(values.length + 1);
  let bytes = 0;
  const texts: string[] = [];
  each(field, values, isText, (text, row) => {
    bytes = grow(bytes, Buffer.byteLength(text));
    valueOffsets[row + 1] = bytes;
    texts.push(text);
  });
  fillGaps(valueOffsets, values);
  // Written in one go: a call for each of a million tokens takes longer than all of their bytes.
  const whole = texts.join("");
  const data = new Uint8Array(bytes);
  new TextEncoder().encodeInto(whole, data);
  return { valueOffsets, data };
}

function encodeLists(field: ColumnField, values: readonly ColumnValue[]) {
  const valueOffsets = new Int32Array(values.length + 1);
  let length = 0;
  each(field, values, isInt32List, (list, row) => {
    length = grow(length, list.length, mostBytes / 4);
    valueOffsets[row + 1] = length;
  });
  fillGaps(valueOffsets, values);
  const data = new Int32Array(length);
  for (let row = 0; row < values.length; row++) {
    const list = values[row] as readonly number[] | null;
    if (list !== null) data.set(list, valueOffsets[row]);
  }
  return { valueOffsets, data };
}

function grow(before: number, by: number, most = mostBytes): number {
  if (before > 0 && before + by > most) throw new BatchTooLargeError();
  return before + by;
}

/** A null ends where it begins. */
function fillGaps(offsets: Int32Array, values: readonly ColumnValue[]): void {
  for (let row = 0; row < values.length; row++) {
    if (values[row] === null) offsets[row + 1] = offsets[row] as number;
  }
}
