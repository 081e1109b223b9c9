import { LayoutError } from "../file-read.ts";

/** Types of the compact protocol, as Parquet's footers use them. */
const types = {
  yes: 1,
  no: 2,
  int8: 3,
  int16: 4,
  int32: 5,
  int64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
} as const;

/** A struct: values by field number. Numbers of 64 bits are bigints, so that none is rounded. */
export type ThriftStruct = Map<number, ThriftField>;
export interface ThriftList {
  type: number;
  values: ThriftValue[];
}
export type ThriftValue = boolean | number | bigint | Uint8Array | ThriftList | ThriftStruct;
interface ThriftField {
  type: number;
  value: ThriftValue;
}

/** Deeper than any footer is. */
const deepest = 24;

/**
 * Reads a struct of Thrift's compact protocol. Nothing outside the bytes is read and no length is believed: what does not fit
 * is refused before room is made for it. Throws LayoutError.
 * Source: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
export function readThrift(bytes: Uint8Array): ThriftStruct {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;

  const byte = (): number => {
    need(1);
    return bytes[at++] as number;
  };
  const need = (count: number): void => {
    if (count > bytes.length - at) throw new LayoutError("a footer that ends in the middle");
  };
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const next = byte();
      value |= BigInt(next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
    throw new LayoutError("a number of more than 64 bits in the footer");
  };
  const signed = (): bigint => {
    const value = varint();
    return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
  };
  const length = (): number => {
    const value = varint();
    // Every item takes a byte at least.
    if (value > BigInt(bytes.length - at)) throw new LayoutError("a footer that ends in the middle");
    return Number(value);
  };

  function readValue(type: number, depth: number, inList: boolean): ThriftValue {
    switch (type) {
      case types.yes:
      case types.no:
        return inList ? byte() === types.yes : type === types.yes;
      case types.int8:
        return (byte() << 24) >> 24;
      case types.int16:
      case types.int32:
        return Number(signed());
      case types.int64:
        return signed();
      case types.double: {
        need(8);
        at += 8;
        return view.getFloat64(at - 8, true);
      }
      case types.binary: {
        const size = length();
        at += size;
        return bytes.subarray(at - size, at);
      }
      case types.list:
      case types.set:
        return readList(depth + 1);
      case types.struct:
        return readStruct(depth + 1);
      default:
        throw new LayoutError(`a footer with a value of type ${type}, which Parquet's have not`);
    }
  }

  function readList(depth: number): ThriftList {
    const head = byte();
    const type = head & 0x0f;
    const size = head >> 4 === 15 ? length() : head >> 4;
    need(size);
    const values: ThriftValue[] = [];
    for (let i = 0; i < size; i++) values.push(readValue(type, depth, true));
    return { type, values };
  }

  function readStruct(depth: number): ThriftStruct {
    if (depth > deepest) throw new LayoutError("a footer of too many levels");
    const fields: ThriftStruct = new Map();
    for (let id = 0; ;) {
      const head = byte();
      if (head === 0) return fields;
      const type = head & 0x0f;
      id = head >> 4 === 0 ? Number(signed()) : id + (head >> 4);
      fields.set(id, { type, value: readValue(type, depth, false) });
    }
  }

  return readStruct(0);
}

/** The bytes of a struct: the inverse of `readThrift`. */
export function writeThrift(struct: ThriftStruct): Uint8Array {
  const out: number[] = [];
  const varint = (value: bigint): void => {
    let rest = BigInt.asUintN(64, value);
    for (; rest >= 0x80n; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80);
    out.push(Number(rest));
  };
  const signed = (value: bigint): void => varint((value << 1n) ^ (value >> 63n));

  function writeValue(type: number, value: ThriftValue, inList: boolean): void {
    if (typeof value === "boolean") {
      if (inList) out.push(value ? types.yes : types.no);
    } else if (type === types.int8) out.push(Number(value) & 0xff);
    else if (type === types.double) {
      out.push(...new Uint8Array(new Float64Array([value as number]).buffer));
    } else if (typeof value === "number" || typeof value === "bigint") signed(BigInt(value));
    else if (value instanceof Uint8Array) {
      varint(BigInt(value.length));
      for (const byte of value) out.push(byte);
    } else if (value instanceof Map) writeStruct(value);
    else {
      const { type: item, values } = value;
      out.push((Math.min(values.length, 15) << 4) | item);
      if (values.length >= 15) varint(BigInt(values.length));
      for (const each of values) writeValue(item, each, true);
    }
  }

  function writeStruct(fields: ThriftStruct): void {
    let last = 0;
    for (const [id, { type, value }] of [...fields].sort(([a], [b]) => a - b)) {
      const stated = typeof value === "boolean" ? (value ? types.yes : types.no) : type;
      const step = id - last;
      if (step >= 1 && step <= 15) out.push((step << 4) | stated);
      else {
        out.push(stated);
        signed(BigInt(id));
      }
      writeValue(type, value, false);
      last = id;
    }
    out.push(0);
  }

  writeStruct(struct);
  return Uint8Array.from(out);
}

export function int64(value: bigint | number): ThriftField {
  return { type: types.int64, value: BigInt(value) };
}

export function structs(values: readonly ThriftStruct[]): ThriftField {
  return { type: types.list, value: { type: types.struct, values: [...values] } };
}
