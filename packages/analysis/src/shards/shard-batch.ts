import { DataType, Message, Precision, type Field } from "apache-arrow";
import { LayoutError, type Region } from "../files/file-read.ts";
import { dtypeBytes, type RowDtype } from "./row-dtype.ts";
import type { ColumnKind } from "./shard-schema.ts";
import { verifyMetadata } from "./shard-verify.ts";

/** Where one column of one batch lies. */
export interface ColumnLayout {
  rows: number;
  nullCount: number;
  validity: Region;
  /** Of texts and lists. */
  offsets?: Region;
  values: Region;
}

/** Width and type of the layers' rows. */
export interface RowForm {
  hiddenSize: number;
  dtype: RowDtype;
}

/** Says where each column of a batch lies, from the batch's header; nothing may lie outside its body. */
export function batchLayout(
  header: Uint8Array,
  body: Region,
  fields: readonly Field[],
  form: RowForm,
): { length: number; columns: Map<string, ColumnLayout> } {
  // A continuation mark of −1 stands before the length since Arrow 0.15.
  const marked = new DataView(header.buffer, header.byteOffset).getInt32(0, true) === -1;
  const bytes = header.subarray(marked ? 8 : 4);
  verifyMetadata(bytes, "batch header");
  const batch = decoding("batch header", () => {
    const message = Message.decode(bytes);
    if (!message.isRecordBatch()) throw new Error("another kind of message");
    return message.header();
  });
  check(batch.compression === null, "compressed batches, which this format does not have");
  const { length } = batch;
  check(Number.isSafeInteger(length) && length >= 0 && length < 2 ** 31, `a batch of ${length} rows`);
  const regions = batch.buffers.map(({ offset, length }) => {
    check(offset >= 0 && length >= 0 && offset + length <= body.length, "a buffer outside its batch");
    return { offset: body.offset + offset, length };
  });
  const take = taker(regions, "buffers");
  const node = taker(batch.nodes, "columns");
  const columns = new Map(
    fields.map((field): [string, ColumnLayout] => {
      const kind = columnKind(field, form) as ColumnKind;
      return [field.name, columnLayout(field.name, kind, length, form, take, node)];
    }),
  );
  return { length, columns };
}

function columnLayout(
  name: string,
  kind: ColumnKind,
  rows: number,
  { hiddenSize, dtype }: RowForm,
  take: () => Region,
  node: () => { length: number; nullCount: number },
): ColumnLayout {
  const { length, nullCount } = node();
  check(length === rows, `column "${name}" with ${length} values in a batch of ${rows} rows`);
  const bitmap = take();
  const validity = { ...bitmap, length: nullCount === 0 ? 0 : Math.ceil(rows / 8) };
  check(nullCount >= 0 && nullCount <= rows, `column "${name}" with ${nullCount} nulls in ${rows} rows`);
  check(bitmap.length >= validity.length, `column "${name}" without its null bitmap`);
  if (kind === "utf8" || kind === "int32[]") {
    const offsets = take();
    check(rows === 0 || offsets.length >= 4 * (rows + 1), `column "${name}" with too few offsets`);
    if (kind === "utf8") return { rows, nullCount, validity, offsets, values: take() };
    const items = node();
    check(items.nullCount === 0, `column "${name}" with nulls inside its lists`);
    take();
    const values = take();
    check(values.length >= 4 * items.length, `column "${name}" with too few numbers`);
    return { rows, nullCount, validity, offsets, values: { ...values, length: 4 * items.length } };
  }
  if (kind === "layer") {
    const items = node();
    check(items.nullCount === 0 && nullCount === 0, `column "${name}" with nulls`);
    check(
      items.length === rows * hiddenSize,
      `column "${name}" with ${items.length} numbers, not ${rows} × ${hiddenSize}`,
    );
    take();
  }
  const values = take();
  const needed = {
    bool: Math.ceil(rows / 8),
    float64: 8 * rows,
    int32: 4 * rows,
    layer: dtypeBytes(dtype) * rows * hiddenSize,
  }[kind];
  check(values.length >= needed, `column "${name}" with ${values.length} bytes, not ${needed}`);
  return { rows, nullCount, validity, values: { ...values, length: needed } };
}

function taker<T>(list: readonly T[], what: string): () => T {
  let next = 0;
  return () => {
    const item = list[next++];
    if (item === undefined) throw new LayoutError(`a batch with too few ${what}`);
    return item;
  };
}

export function columnKind(field: Field, { hiddenSize, dtype }: RowForm): ColumnKind | undefined {
  const type = field.type as DataType;
  const item = type.children?.[0]?.type as DataType | undefined;
  if (isInt32(type)) return "int32";
  if (DataType.isUtf8(type)) return "utf8";
  if (DataType.isBool(type)) return "bool";
  if (DataType.isFloat(type)) return type.precision === Precision.DOUBLE ? "float64" : undefined;
  if (DataType.isList(type)) return isInt32(item) ? "int32[]" : undefined;
  if (!DataType.isFixedSizeList(type) || type.listSize !== hiddenSize) return undefined;
  return isItemOf(item, dtype) ? "layer" : undefined;
}

function isInt32(type: DataType | undefined): boolean {
  return DataType.isInt(type) && type.bitWidth === 32 && type.isSigned;
}

function isItemOf(type: DataType | undefined, dtype: RowDtype): boolean {
  if (dtype === "bfloat16") return DataType.isInt(type) && type.bitWidth === 16 && !type.isSigned;
  const precision = dtype === "float16" ? Precision.HALF : Precision.SINGLE;
  return DataType.isFloat(type) && type.precision === precision;
}

export function check(right: boolean, found: string): asserts right {
  if (!right) throw new LayoutError(found);
}

/** Apache-arrow's own errors on damaged metadata speak of offsets and undefined properties. */
export function decoding<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof LayoutError) throw error;
    const [, type] = /^Unrecognized type: "(\w+)"/.exec((error as Error).message) ?? [];
    if (type !== undefined) {
      const problem = `a column of the Arrow type ${type}, which is not read: cast it to another, or write Parquet`;
      throw new LayoutError(problem, { cause: error });
    }
    throw new LayoutError(`a damaged ${what} (${(error as Error).message})`, { cause: error });
  }
}
