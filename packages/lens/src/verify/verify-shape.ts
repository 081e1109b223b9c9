import type { CaptureCheck } from "../lens-types.ts";
import { VerificationError } from "./verification-error.ts";

/** What the answer's shape must be; undefined where nothing is known to compare with. */
export interface ExpectedShape {
  layers: number | undefined;
  rows: number;
  /** How `rows` comes about, for the message. */
  rowsSum: string;
  hiddenSize: number | undefined;
}

/**
 * Compares the declared shape `[layers, positions, hiddenSize]` with what was asked. It runs before anything is decoded:
 * servers drop layers and rows in silence under a 200. Throws VerificationError.
 */
export function verifyShape(shape: readonly number[], expected: ExpectedShape): CaptureCheck[] {
  const [layers = 0, rows = 0, hiddenSize = 0] = shape;
  if (shape.length !== 3 || layers === 0 || hiddenSize === 0) {
    throw new VerificationError(
      "shape",
      `the capture has shape ${shape.join(" × ")}; expected layers × positions × hidden size`,
      { shape },
    );
  }
  if (layers !== (expected.layers ?? layers)) {
    throw new VerificationError(
      "layer_count",
      `${expected.layers} layers were asked for and ${layers} came; which are missing cannot be told, so none is used. ` +
        "Known causes: a layer the model does not have; a steering vector of the wrong width in this or a concurrent request; a server that reads the layer list wrongly",
      { expected: expected.layers, received: layers },
    );
  }
  if (hiddenSize !== (expected.hiddenSize ?? hiddenSize)) {
    throw new VerificationError(
      "hidden_size",
      `the model's hidden size is ${expected.hiddenSize} and rows of ${hiddenSize} came`,
      {
        expected: expected.hiddenSize,
        received: hiddenSize,
      },
    );
  }
  if (rows !== expected.rows) {
    throw new VerificationError(
      "row_count",
      `${rows} rows came; expected ${expected.rowsSum} = ${expected.rows}. Rows cannot be matched with tokens, so none is used. ` +
        "Known causes: a prefix cache that skipped positions; a steering vector of the wrong width; rows of a batch mixed up",
      { expected: expected.rows, received: rows },
    );
  }
  const status = (known: unknown) => (known === undefined ? "unverified" : "pass");
  return [
    { code: "layer_count", status: status(expected.layers), detail: `${layers} layers` },
    { code: "hidden_size", status: status(expected.hiddenSize), detail: `${hiddenSize} numbers a row` },
    { code: "row_count", status: "pass", detail: `${expected.rowsSum} = ${rows}` },
  ];
}
