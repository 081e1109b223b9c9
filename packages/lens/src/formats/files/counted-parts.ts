import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { bytes, type Kind } from "../../arguments/kinds.ts";
import { shown } from "../../arguments/shown.ts";
import { FormatError } from "../format-error.ts";
import type { FileParts } from "./write-file.ts";

/** Bytes in parts, as `FileParts`. */
export const fileParts: Kind = {
  allowed: "Uint8Arrays that can be iterated",
  fault(value, field) {
    const object = typeof value === "object" && value !== null;
    const iterable = object && (Symbol.iterator in value || Symbol.asyncIterator in value);
    return iterable ? undefined : { field, given: shown(value), allowed: fileParts.allowed };
  },
};

/** The parts as they are; as many bytes in all as an array takes. Error `format_invalid`, at the part that is too much or at the end. */
export async function* countedParts(
  parts: FileParts,
  size: number,
  called: string,
): AsyncGenerator<Uint8Array> {
  let given = 0;
  const refuse = (): never => {
    const found = given > size ? `more than that are given` : `${given} are given`;
    throw new FormatError("format_invalid", `${called} takes ${size} bytes, ${found}`, { size });
  };
  for await (const part of parts) {
    checkFormatArguments(called, { [`the part from byte ${given}`]: [part, bytes] });
    given += part.byteLength;
    if (given > size) refuse();
    yield part;
  }
  if (given < size) refuse();
}
