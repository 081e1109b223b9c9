import type { Capture } from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { layerNumbers } from "../checked-reads.ts";
import { ProbeError } from "../probe-error.ts";
import { booleanAnswer } from "../row-choice.ts";

/** What is read of a capture. */
export type ScoredCapture = Pick<
  Capture,
  "model" | "layers" | "hiddenSize" | "positions" | "tokens" | "layer"
>;

/** Which positions of a capture to score. */
export interface PositionChoice {
  /** The positions to score: true or false for each (a longer list's rest is not looked at), or a test of positions. Default: all. */
  mask?: readonly boolean[] | ((position: number) => boolean);
  /** Of whose tokens: `prompt`, `generated`, or a role that `tokenRoles` gives; with `mask`, both must hold. */
  roles?: readonly string[];
  /** Of each token, for roles of a conversation: what `tokenRoles(spans, tokens)` gives. */
  tokenRoles?: readonly (string | null)[];
}

const isFunction = (value: unknown) => typeof value === "function";

/** The fields of a PositionChoice, for schemas of options. */
export const positionChoiceShape = {
  mask: z
    .union([z.array(z.boolean()).readonly(), z.custom<(position: number) => boolean>(isFunction)], {
      error: "a list of true and false, or a function of the position",
    })
    .optional(),
  roles: z.array(z.string()).min(1).readonly().optional(),
  tokenRoles: z.array(z.string().nullable()).readonly().optional(),
};

const captureSchema = z.looseObject({
  hiddenSize: z.int().min(1),
  positions: z.int().min(0),
  layers: z.array(z.int()).readonly(),
  layer: z.custom(isFunction, "a function of a layer's number"),
});

/** That it has what is read of a capture. Throws InvalidRequestError. */
export function checkCapture(capture: unknown, what: string): void {
  checkOptions(captureSchema, capture, `${what} capture`, "capture");
}

/** The chosen positions, ascending, and the layer's rows there (`[positions, hiddenSize]`). Throws ProbeError `no_rows`, `wrong_width`, InvalidRequestError. */
export function captureRows(
  capture: ScoredCapture,
  layer: number,
  choice: PositionChoice,
): { positions: number[]; rows: Float32Array } {
  const positions = positionsOf(capture, choice);
  return { positions, rows: pickRows(layerRows(capture, layer), positions, capture.hiddenSize) };
}

function positionsOf(
  { positions, tokens }: ScoredCapture,
  { mask, roles, tokenRoles }: PositionChoice,
): number[] {
  if (Array.isArray(mask) && mask.length < positions) throw wrongLength("mask", mask.length, positions);
  if (tokenRoles && tokenRoles.length < positions)
    throw wrongLength("tokenRoles", tokenRoles.length, positions);
  const inMask =
    typeof mask === "function"
      ? (position: number) => booleanAnswer(mask, position, "mask")
      : (position: number) => mask?.[position] ?? true;
  const kept = Array.from({ length: positions }, (_, position) => position).filter((position) => {
    if (roles) {
      const own = [tokens[position]!.role, tokenRoles?.[position]];
      if (!own.some((role) => role !== null && role !== undefined && roles.includes(role))) return false;
    }
    return inMask(position);
  });
  if (kept.length > 0) return kept;
  throw new ProbeError("no_rows", `No position is left to score: mask and roles keep none of ${positions}.`, {
    positions,
  });
}

/** A row for each position, no more and no fewer. */
function layerRows(capture: ScoredCapture, layer: number): Float32Array {
  const { positions, hiddenSize } = capture;
  const values = layerNumbers(capture.layer(layer), layer);
  if (values.length === positions * hiddenSize) return values;
  throw new ProbeError(
    "wrong_width",
    `Layer ${layer} of the capture has ${values.length} numbers, and ${positions} positions of hiddenSize ${hiddenSize} are ${positions * hiddenSize}.`,
    { layer, numbers: values.length, positions, hiddenSize },
  );
}

function wrongLength(name: string, given: number, positions: number): ProbeError {
  return new ProbeError(
    "bad_option",
    `${name} has ${given} entries, and the capture ${positions} positions: give one for each.`,
    {
      given,
      positions,
    },
  );
}

function pickRows(values: Float32Array, rows: readonly number[], width: number): Float32Array {
  if (rows.length * width === values.length) return values;
  const picked = new Float32Array(rows.length * width);
  rows.forEach((row, i) => picked.set(values.subarray(row * width, (row + 1) * width), i * width));
  return picked;
}
