import { ProbeError } from "../../probes/probe-error.ts";
import { indexNumbers } from "../checked-arrays.ts";

/** Class numbers below `classes`. */
export function classNumbers(labels: ArrayLike<number | boolean>, classes: number, of: string): Uint32Array {
  const { index } = indexNumbers(labels as ArrayLike<number>, "label", of);
  const row = index.findIndex((label) => label >= classes);
  if (row < 0) return index;
  throw new ProbeError(
    "bad_label",
    `The label of row ${row} is class ${index[row]!}, and ${of} was told of ${classes} classes.`,
    {
      row,
      classes,
    },
  );
}
