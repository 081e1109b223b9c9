import { DataType, type Data, type Vector } from "apache-arrow";
import { check } from "../shards/shard-batch.ts";

/** Lists of any length, with offsets of 32 or 64 bits. */
export function isOffsetList(type: DataType): boolean {
  return DataType.isList(type) || DataType.isLargeList(type);
}

/** Checks that the buffers of a column are as long as its counts and offsets say: apache-arrow reads what is missing as 0. Throws LayoutError. */
export function checkColumn(name: string, column: Vector): void {
  for (const data of column.data as readonly Data[]) checkData(`column ${JSON.stringify(name)}`, data);
}

function checkData(column: string, data: Data): void {
  const type = data.type;
  const { length, offset, nullCount } = data;
  // Nulls alone have no buffer.
  if (DataType.isNull(type)) return;
  check(nullCount === 0 || data.nullBitmap.length * 8 >= length, `${column} without its null bitmap`);
  if (DataType.isUtf8View(type)) checkViews(column, data);
  else if (DataType.isUtf8(type) || DataType.isLargeUtf8(type) || isOffsetList(type)) {
    const last = lastOffset(column, data);
    const child = isOffsetList(type) ? (data.children[0] as Data) : undefined;
    check(
      last <= (child ? child.length : (data.values as Uint8Array).length),
      `${column} with too few values`,
    );
    if (child) checkData(column, child);
  } else if (DataType.isFixedSizeList(type)) {
    const child = data.children[0] as Data;
    check(child.length >= length * type.listSize, `${column} with too few values`);
    checkData(column, child);
  } else if (DataType.isStruct(type)) {
    for (const child of data.children as readonly Data[]) {
      check(child.length >= length, `${column} with too few values`);
      checkData(column, child);
    }
  } else if (DataType.isBool(type)) {
    check((data.values as Uint8Array).length * 8 >= offset + length, `${column} with too few values`);
  } else {
    check((data.values as Uint8Array).length >= length * data.stride, `${column} with too few values`);
    if (DataType.isDictionary(type)) checkColumn(column, data.dictionary as Vector);
  }
}

/** Views of texts: see arrowTexts. */
function checkViews(column: string, { length, values, variadicBuffers }: Data): void {
  const views = values as Uint8Array;
  check(views.length >= 16 * length, `${column} with too few values`);
  const words = new DataView(views.buffer, views.byteOffset, views.byteLength);
  for (let at = 0; at < 16 * length; at += 16) {
    const bytes = words.getInt32(at, true);
    check(bytes >= 0, `${column} with a text of no length`);
    if (bytes <= 12) continue;
    const [buffer, from] = [words.getInt32(at + 8, true), words.getInt32(at + 12, true)];
    const there = variadicBuffers[buffer]?.length ?? 0;
    check(from >= 0 && from + bytes <= there, `${column} with too few values`);
  }
}

function lastOffset(column: string, { valueOffsets, length }: Data): number {
  if (length === 0) return 0;
  const offsets = valueOffsets as Int32Array | BigInt64Array;
  check(offsets.length > length, `${column} with too few offsets`);
  let last = 0;
  for (let i = 0; i <= length; i++) {
    const offset = Number(offsets[i]);
    check(offset >= last, `${column} with offsets out of order`);
    last = offset;
  }
  return last;
}
