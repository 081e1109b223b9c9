import { checkTensorArguments } from "../arguments/check-arguments.ts";
import { bits as bitsKind, floats, optional } from "../arguments/kinds.ts";
import { TensorError } from "./tensor-error.ts";

/** What bits are widened into: as many numbers, new where none is given. Errors `tensor_form`, `tensor_shape`. */
export function checkRoom(called: string, bits: Uint16Array, into: Float32Array | undefined): Float32Array {
  checkTensorArguments(called, { bits: [bits, bitsKind], into: [into, optional(floats)] });
  return roomFor(bits.length, into);
}

/** Error `tensor_shape`. */
export function roomFor(numbers: number, into: Float32Array | undefined): Float32Array {
  if (into === undefined) return new Float32Array(numbers);
  if (into.length === numbers) return into;
  throw new TensorError("tensor_shape", `into has room for ${into.length} numbers; there are ${numbers}`, {
    room: into.length,
    numbers,
  });
}
