import type { ByteCursor } from "../files/byte-cursor.ts";
import { FormatError } from "../format-error.ts";
import type { PickleStack } from "./pickle-stack.ts";
import { PickleGlobal, type PickleValue } from "./pickle-value.ts";
import type { PickleWorld } from "./unpickle.ts";

type Operation = (stack: PickleStack, cursor: ByteCursor, world: PickleWorld) => void;

const frozen = (values: PickleValue[]): PickleValue => Object.freeze(values);

/** The opcodes that make data, by their byte. Source: CPython's Lib/pickletools.py. */
export const pickleOpcodes: Readonly<Record<number, Operation>> = {
  // PROTO
  0x80: (stack, cursor) => {
    const protocol = cursor.uint8();
    if (protocol < 2 || protocol > 5) stack.fail(`has protocol ${protocol}; 2 to 5 are read`);
  },
  // FRAME: how many bytes follow, which the cursor knows
  0x95: (_, cursor) => void cursor.uint64(),
  // NONE, NEWTRUE, NEWFALSE
  0x4e: (stack) => stack.push(null),
  0x88: (stack) => stack.push(true),
  0x89: (stack) => stack.push(false),
  // BININT, BININT1, BININT2, LONG1, BINFLOAT
  0x4a: (stack, cursor) => stack.push(cursor.int32()),
  0x4b: (stack, cursor) => stack.push(cursor.uint8()),
  0x4d: (stack, cursor) => stack.push(cursor.uint16()),
  0x8a: (stack, cursor) => stack.push(long(cursor.bytes(cursor.uint8()))),
  0x47: (stack, cursor) => stack.push(cursor.float64BigEndian()),
  // BINUNICODE, SHORT_BINUNICODE, BINUNICODE8
  0x58: (stack, cursor) => stack.push(cursor.text(cursor.uint32())),
  0x8c: (stack, cursor) => stack.push(cursor.text(cursor.uint8())),
  0x8d: (stack, cursor) => stack.push(cursor.text(cursor.uint64())),
  // EMPTY_LIST, APPEND, APPENDS, LIST
  0x5d: (stack) => stack.push([]),
  0x61: (stack) => {
    const value = stack.pop();
    stack.list().push(value);
  },
  0x65: (stack) => {
    const values = stack.popMark();
    const list = stack.list();
    for (const value of values) list.push(value);
  },
  0x6c: (stack) => stack.push(stack.popMark()),
  // EMPTY_TUPLE, TUPLE, TUPLE1, TUPLE2, TUPLE3
  0x29: (stack) => stack.push(frozen([])),
  0x74: (stack) => stack.push(frozen(stack.popMark())),
  0x85: (stack) => stack.push(frozen(stack.popMany(1))),
  0x86: (stack) => stack.push(frozen(stack.popMany(2))),
  0x87: (stack) => stack.push(frozen(stack.popMany(3))),
  // EMPTY_DICT, SETITEM, SETITEMS
  0x7d: (stack) => stack.push(new Map()),
  0x73: (stack) => stack.setItems(stack.popMany(2)),
  0x75: (stack) => {
    const values = stack.popMark();
    stack.setItems(values);
  },
  // MARK, POP, POP_MARK
  0x28: (stack) => stack.mark(),
  0x30: (stack) => void stack.pop(),
  0x31: (stack) => void stack.popMark(),
  // BINPUT, LONG_BINPUT, MEMOIZE, BINGET, LONG_BINGET
  0x71: (stack, cursor) => stack.remember(cursor.uint8()),
  0x72: (stack, cursor) => stack.remember(cursor.uint32()),
  0x94: (stack) => stack.rememberNext(),
  0x68: (stack, cursor) => stack.recall(cursor.uint8()),
  0x6a: (stack, cursor) => stack.recall(cursor.uint32()),
  // GLOBAL, STACK_GLOBAL, BINPERSID, REDUCE, BUILD
  0x63: (stack, cursor, world) => stack.push(named(line(cursor), line(cursor), cursor, world)),
  0x93: (stack, cursor, world) => {
    const [module, name] = stack.popMany(2);
    if (typeof module !== "string" || typeof name !== "string")
      return stack.fail("has a name that is not text");
    stack.push(named(module, name, cursor, world));
  },
  0x51: (stack, _, world) => stack.push(world.persistent(stack.pop())),
  0x52: (stack) => {
    const [called, args] = stack.popMany(2);
    if (!(called instanceof PickleGlobal) || called.call === null || !Array.isArray(args)) {
      return stack.fail("calls what cannot be called");
    }
    stack.push(called.call(args));
  },
  // The attributes of an OrderedDict, such as a state_dict's versions: not data of it.
  0x62: (stack) => {
    stack.pop();
    if (!(stack.top() instanceof Map)) stack.fail("sets attributes of what is not a dict");
  },
};

/** Little-endian two's complement. */
function long(bytes: Uint8Array): number | bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]!);
  value = BigInt.asIntN(8 * bytes.length, value);
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : value;
}

function named(module: string, name: string, { file }: ByteCursor, world: PickleWorld): PickleGlobal {
  const full = `${module} ${name}`;
  const found = world.globals.get(full);
  if (found !== undefined) return found;
  throw new FormatError(
    "format_refused",
    `${file}: its pickle names ${JSON.stringify(`${module}.${name}`)}, which is not needed for tensors; nothing was run. Do not load this file with Python's pickle unless you trust it`,
    { file, module, name },
  );
}

/** A line of at most 256 bytes. */
function line(cursor: ByteCursor): string {
  const bytes: number[] = [];
  for (let byte = cursor.uint8(); byte !== 0x0a; byte = cursor.uint8()) {
    if (bytes.length === 256) {
      throw new FormatError("format_refused", `${cursor.file}: its pickle has a name of over 256 bytes`, {
        file: cursor.file,
      });
    }
    bytes.push(byte);
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
