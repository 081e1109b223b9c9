import { DataType, type Data, type Vector } from "apache-arrow";
import { check } from "../shards/shard-batch.ts";

/** Checks that the buffers of a column are as long as its counts and offsets say: apache-arrow reads what is missing as 0. Throws LayoutError. */
export function checkColumn(name: string, column: Vector): void {
  for (const data of column.data as readonly Data[]) checkData(`column ${JSON.stringify(name)}`, data);
}

function checkData(column: string, data: Data): void {
  const type = data.type;
  const { length, offset, nullCount } = data;
  check(nullCount === 0 || data.nullBitmap.length * 8 >= length, `${column} without its null bitmap`);
  if (DataType.isUtf8(type) || DataType.isList(type)) {
    const last = lastOffset(column, data);
    const child = DataType.isList(type) ? (data.children[0] as Data) : undefined;
    check(
      last <= (child ? child.length : (data.values as Uint8Array).length),
      `${column} with too few values`,
    );
    if (child) checkData(column, child);
  } else if (DataType.isFixedSizeList(type)) {
    const child = data.children[0] as Data;
    check(child.length >= length * type.listSize, `${column} with too few values`);
    checkData(column, child);
  } else if (DataType.isBool(type)) {
    check((data.values as Uint8Array).length * 8 >= offset + length, `${column} with too few values`);
  } else {
    check((data.values as Uint8Array).length >= length * data.stride, `${column} with too few values`);
    if (DataType.isDictionary(type)) checkColumn(column, data.dictionary as Vector);
  }
}

function lastOffset(column: string, { valueOffsets, length }: Data): number {
  if (length === 0) return 0;
  const offsets = valueOffsets as Int32Array;
  check(offsets.length > length, `${column} with too few offsets`);
  let last = 0;
  for (let i = 0; i <= length; i++) {
    check((offsets[i] as number) >= last, `${column} with offsets out of order`);
    last = offsets[i] as number;
  }
  return last;
}
