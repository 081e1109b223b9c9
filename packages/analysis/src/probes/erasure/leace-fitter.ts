import { z } from "zod";
import { symmetricEigen } from "../../linalg/symmetric-eigen.ts";
import { checkOptions } from "../../options/check-options.ts";
import { shown } from "../../options/shown.ts";
import { resultSchemaVersion } from "../../results/result-version.ts";
import { addScaled, dot } from "../../linalg/vectors.ts";
import { ProbeError } from "../probe-error.ts";
import type { LabelValue } from "../sweep-rows.ts";
import { refuseRows } from "../trained/trained-probe.ts";
import { ConceptMoments } from "./concept-moments.ts";
import { type Eraser, sealedEraser } from "./eraser.ts";
import { inverseCovariance } from "./inverse-covariance.ts";

/** Directions along which the classes differ by less than this share of the largest (of squares) are rounding. */
const leastShare = 1e-12;

/** Rows of which a float64 copy is made at once. */
const batchRows = 1024;

export interface LeaceSettings {
  /** leace: the least change of the rows, in squares, that takes the concept out. orthogonal: an orthogonal projection, which needs no covariance. */
  method?: "leace" | "orthogonal";
  /** Keeps the mean row where it is. Default: true. */
  affine?: boolean;
  /** Shrinks the covariance towards a multiple of the identity (Bodnar, Gupta, Parolya 2014). Default: false. Erasure is exact either way. */
  shrinkage?: boolean;
}

export const leaceSettings = {
  method: z.enum(["leace", "orthogonal"]).default("leace"),
  affine: z.boolean().default(true),
  shrinkage: z.boolean().default(false),
};

const optionsSchema = z.strictObject({
  width: z.int().min(1),
  layer: z.int().min(-1).nullable().default(null),
  label: z.string().nullable().default(null),
  ...leaceSettings,
});

/** Takes rows in batch by batch and makes the eraser of what it has seen. */
export interface LeaceFitter {
  /** `values` is `[rows, width]`; one label a row. Throws ProbeError `wrong_width`, `not_finite`, `bad_column`, `bad_label`. */
  update(values: Float32Array, labels: ArrayLike<LabelValue>): void;
  /** Throws ProbeError `no_rows`, `one_class`, and `bad_label` where the classes differ in all dimensions of the rows. More rows may follow. */
  eraser(): Eraser;
}

/**
 * Least-squares concept erasure (Belrose et al. 2023, arXiv:2306.03819): row − Σxz (Σzx Σ⁺ Σxz)⁺ Σzx Σ⁺ (row − mean), after which no
 * linear model tells the classes. Moments are float64; batches are not kept, except that up to `width` rows are, which take less
 * room than their `[width, width]` covariance. Throws InvalidRequestError.
 */
export function leaceFitter(
  options: LeaceSettings & { width: number; layer?: number | null; label?: string | null },
): LeaceFitter {
  const { width, layer, label, method, affine, shrinkage } = checkOptions(
    optionsSchema,
    options,
    "leaceFitter options",
  );
  const moments = new ConceptMoments(width, method === "leace");
  const places = new Map<LabelValue, number>();
  return {
    update(values, labels) {
      if (values.length === 0) return;
      refuseRows(values, width);
      if (labels.length !== values.length / width) {
        const message = `There are ${values.length / width} rows and ${labels.length} labels: give one for each row.`;
        throw new ProbeError("bad_column", message, { rows: values.length / width, values: labels.length });
      }
      const classOf = Array.from(labels, (value) => conceptClass(value, label)).map((value) => {
        if (!places.has(value)) places.set(value, places.size);
        return places.get(value)!;
      });
      for (let row = 0; row < classOf.length; row += batchRows) {
        moments.add(
          values.subarray(row * width, (row + batchRows) * width),
          classOf.slice(row, row + batchRows),
        );
      }
    },
    eraser() {
      refuseTooFew(moments.rows, [...places.keys()], label);
      const cross = moments.crossCovariance();
      const whitened = method === "leace" ? inverseCovariance(moments, { shrinkage, cross }) : cross;
      const { left, right } = projection(cross, whitened);
      refuseWholeSpace(left.length, { width, rows: moments.rows, classes: places.size, label });
      const formula =
        method === "leace"
          ? `row − Σxz (Σzx Σ⁺ Σxz)⁺ Σzx Σ⁺ (row − ${affine ? "mean" : "0"})${shrinkage ? ", Σ shrunk towards a multiple of the identity" : ""}`
          : `row − Q Qᵀ (row − ${affine ? "mean" : "0"}), Q an orthonormal basis of the class means' differences`;
      return sealedEraser({
        schemaVersion: resultSchemaVersion,
        kind: "eraser",
        ...{ method, formula, layer, label, width },
        rows: moments.rows,
        classes: [...places.keys()],
        center: affine ? [...moments.mean] : null,
        left: left.map((vector) => [...vector]),
        right: right.map((vector) => [...vector]),
      });
    },
  };
}

function refuseTooFew(rows: number, classes: readonly LabelValue[], label: string | null): void {
  if (rows === 0)
    throw new ProbeError("no_rows", "There is no row to fit an eraser on: update it first.", { rows });
  if (classes.length > 1) return;
  const message = `${labelName(label)} is ${shown(classes[0])} in all ${rows} rows: two classes are needed.`;
  throw new ProbeError("one_class", message, { rows });
}

function labelName(label: string | null): string {
  return label === null ? "The label" : `Label ${label}`;
}

/** Whole numbers of an Int64 column come as BigInt. */
function conceptClass(value: unknown, label: string | null): LabelValue {
  const plain = typeof value === "bigint" ? Number(value) : value;
  if (typeof plain === "string" || typeof plain === "boolean") return plain;
  if (typeof plain === "number" && Number.isSafeInteger(plain)) return plain;
  const kind = value instanceof Date ? "a date" : shown(value);
  const message =
    `${labelName(label)} holds ${kind}: the classes of an eraser are texts, whole numbers, true and false, and every other value ` +
    `would be a class of its own. Put numbers into classes first.`;
  throw new ProbeError("bad_label", message, { label });
}

/** Of as many dimensions as the rows span, nothing would be left but their mean. */
function refuseWholeSpace(
  rank: number,
  { width, rows, classes, label }: { width: number; rows: number; classes: number; label: string | null },
): void {
  if (rank < Math.min(width, rows - 1)) return;
  const message =
    `${labelName(label)} has ${classes} classes in ${rows} rows of width ${width}, whose means differ in ${rank} dimensions: all that the ` +
    `rows have, so that erasing them leaves only the mean row. Give a label of fewer classes, or more rows.`;
  throw new ProbeError("bad_label", message, { label, rank, width, rows, classes });
}

/** Left and right vectors of C (CᵀB)⁺ Bᵀ, with C the cross-covariances and B their whitened ones: one pair a dimension. */
function projection(
  cross: readonly Float64Array[],
  whitened: readonly Float64Array[],
): { left: Float64Array[]; right: Float64Array[] } {
  const classes = cross.length;
  const inner = new Float64Array(classes * classes);
  for (let i = 0; i < classes; i++) {
    for (let k = 0; k < classes; k++) {
      inner[i * classes + k] = (dot(cross[i]!, whitened[k]!) + dot(cross[k]!, whitened[i]!)) / 2;
    }
  }
  const { values, vectors } = symmetricEigen(inner, classes);
  const kept = [...values.keys()].filter((k) => values[k]! > leastShare * values[0]!);
  const mix = (parts: readonly Float64Array[], k: number) => {
    const mixed = new Float64Array(parts[0]!.length);
    parts.forEach((part, i) => addScaled(mixed, vectors[k]![i]! / Math.sqrt(values[k]!), part));
    return mixed;
  };
  return { left: kept.map((k) => mix(cross, k)), right: kept.map((k) => mix(whitened, k)) };
}
