import type { CaptureCheck } from "../lens-types.ts";
import { type AnswerTokens, missingRows } from "./missing-rows.ts";
import { VerificationError } from "./verification-error.ts";

/**
 * Compares the declared shape `[layers, positions, hiddenSize]` with what must come; its layers are the matter of
 * `returnedLayers`. It runs before anything is decoded: servers drop rows in silence under a 200. `hiddenSize` is
 * undefined where it is not known. Throws VerificationError.
 */
export function verifyShape(
  shape: readonly number[],
  expected: AnswerTokens & { hiddenSize: number | undefined },
): CaptureCheck[] {
  const [layers = 0, rows = 0, hiddenSize = 0] = shape;
  if (shape.length !== 3 || layers === 0 || hiddenSize === 0) {
    throw new VerificationError(
      "shape",
      `the capture has shape ${shape.join(" × ")}; expected layers × positions × hidden size`,
      { shape },
    );
  }
  if (hiddenSize !== (expected.hiddenSize ?? hiddenSize)) {
    throw new VerificationError(
      "hidden_size",
      `the model's hidden size is ${expected.hiddenSize} and rows of ${hiddenSize} came`,
      { expected: expected.hiddenSize, received: hiddenSize },
    );
  }
  const { promptTokens, generatedTokens } = expected;
  const count = promptTokens + generatedTokens - 1;
  const sum = `${promptTokens} prompt + ${generatedTokens} generated − 1 = ${count}`;
  if (rows !== count) {
    const { text, ...missing } = missingRows(rows, expected);
    throw new VerificationError(
      "row_count",
      `${rows} rows came; expected ${sum}. Rows cannot be matched with tokens, so none is used. ${text}`,
      { expected: count, received: rows, ...missing },
    );
  }
  const width = expected.hiddenSize === undefined ? "unverified" : "pass";
  return [
    { code: "hidden_size", status: width, detail: `${hiddenSize} numbers a row` },
    { code: "row_count", status: "pass", detail: sum },
  ];
}
