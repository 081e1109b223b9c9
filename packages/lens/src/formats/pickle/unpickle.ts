import type { ByteCursor } from "../files/byte-cursor.ts";
import { FormatError } from "../format-error.ts";
import type { PickleGlobal } from "./pickle-value.ts";
import { type PickleValue } from "./pickle-value.ts";
import { pickleOpcodes } from "./pickle-opcodes.ts";
import { PickleStack } from "./pickle-stack.ts";

/** What a pickle may name, and what its persistent ids stand for. */
export interface PickleWorld {
  /** By `module name`. A name that is not here is refused, whatever it is: nothing is ever imported. */
  readonly globals: ReadonlyMap<string, PickleGlobal>;
  persistent(id: PickleValue): PickleValue;
}

/** Opcodes of one pickle. A tensor takes about 30, so this is a state dictionary of 300 000. */
const mostOperations = 10_000_000;

/**
 * Reads one pickle (protocols 2 to 5) and leaves the cursor behind it. Only data is made: of the opcodes those that build
 * lists, dicts, texts and numbers, and calls of the names in `world`, which are functions of this program. Iterative, so
 * no nesting is too deep; every length is held against the bytes that are left. Throws FormatError, `format_refused` for
 * a name or opcode that is not data.
 */
export function unpickle(cursor: ByteCursor, world: PickleWorld): PickleValue {
  const stack = new PickleStack(cursor.file);
  for (let done = 0; done < mostOperations; done++) {
    const code = cursor.uint8();
    if (code === stop) return stack.result();
    const operation = pickleOpcodes[code];
    if (operation === undefined) {
      throw new FormatError(
        "format_refused",
        `${cursor.file}: the pickle opcode 0x${code.toString(16).padStart(2, "0")} at byte ${cursor.at - 1} is not one of those that only make data; nothing was run`,
        { file: cursor.file, opcode: code },
      );
    }
    operation(stack, cursor, world);
  }
  throw new FormatError(
    "format_too_large",
    `${cursor.file} has a pickle of over ${mostOperations} operations`,
    {
      file: cursor.file,
    },
  );
}

const stop = 0x2e;
