import { shown } from "../../options/shown.ts";
import type { ProbeTask } from "../../results/trained-probe.ts";
import { classValues } from "../label-values.ts";
import { ProbeError } from "../probe-error.ts";
import { isKnown, type LabelValue } from "../sweep-rows.ts";

/** The rows that have a label, and what a probe reads of it. */
export interface TrainingLabels {
  readonly task: ProbeTask;
  /** Places of the rows with a label among those given, ascending. */
  readonly kept: Uint32Array;
  /** 1 or 0 (1 = positive), the class's place in `classes`, or the number. */
  readonly targets: Float64Array;
  readonly classes: readonly LabelValue[] | null;
  readonly positive: LabelValue | null;
  /** Positive and negative rows; rows of each class; rows above the mean number and the rest. */
  readonly counts: number[];
}

/** Reads labels as the probe wants them. Throws ProbeError `bad_label`, `one_class`, `no_rows`. */
export function trainingLabels(
  given: ArrayLike<unknown>,
  options: { name: string; target: "classes" | "number"; positive?: LabelValue | undefined },
): TrainingLabels {
  const { name, target, positive } = options;
  const kept = Uint32Array.from(Array.from(given, (_, i) => i).filter((i) => isKnown(given[i])));
  if (kept.length === 0) {
    const message = `There is no row to train on: ${given.length} rows, none with a value of ${name}.`;
    throw new ProbeError("no_rows", message, { rows: given.length });
  }
  const values = Array.from(kept, (i) => given[i]);
  return target === "number"
    ? { kept, ...numbers(values, name, positive) }
    : { kept, ...classesOf(classValues(values, name), name, positive) };
}

type Read = Omit<TrainingLabels, "kept">;

function numbers(values: readonly unknown[], name: string, positive: LabelValue | undefined): Read {
  if (positive !== undefined)
    throw badLabel(
      `positive is ${shown(positive)}, and the probe reads ${name} as a number: it has no positive class.`,
    );
  const other = values.find((value) => (typeof value === "bigint" ? false : !isNumber(value)));
  if (other !== undefined)
    throw badLabel(
      `Label ${name} holds ${shown(other)}, and this probe reads finite numbers (true is 1, false 0).`,
    );
  const targets = Float64Array.from(values, Number);
  if (targets.every((value) => value === targets[0])) {
    throw new ProbeError(
      "one_class",
      `Label ${name} is ${targets[0]} in all ${targets.length} rows: there is nothing to predict.`,
      {
        value: targets[0],
      },
    );
  }
  const mean = targets.reduce((sum, value) => sum + value, 0) / targets.length;
  const above = targets.filter((value) => value > mean).length;
  return { task: "number", targets, classes: null, positive: null, counts: [above, targets.length - above] };
}

function isNumber(value: unknown): boolean {
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}

function classesOf(values: readonly LabelValue[], name: string, positive: LabelValue | undefined): Read {
  const classes = classesInOrder(values);
  if (classes.length === 1) {
    throw new ProbeError(
      "one_class",
      `Label ${name} is ${shown(classes[0])} in all ${values.length} rows: two classes are needed.`,
      {
        value: classes[0],
      },
    );
  }
  const asked = positive ?? usualPositive(classes);
  if (asked !== undefined && !classes.includes(asked))
    throw badLabel(
      `positive is ${shown(asked)}, and label ${name} holds ${classes.slice(0, 5).map(shown).join(", ")}${classes.length > 5 ? ", …" : ""}.`,
    );
  if (classes.length === 2) {
    if (asked === undefined)
      throw badLabel(
        `Label ${name} holds ${classes.map(shown).join(", ")}: say which of the two is positive with the option positive (true and 1 need no saying).`,
      );
    const targets = Float64Array.from(values, (value) => (value === asked ? 1 : 0));
    const positives = targets.reduce((sum, value) => sum + value, 0);
    return {
      task: "binary",
      targets,
      classes: null,
      positive: asked,
      counts: [positives, values.length - positives],
    };
  }
  if (positive !== undefined)
    throw badLabel(
      `positive is ${shown(positive)}, and label ${name} holds ${classes.length} values: leave positive out for a probe of all classes, or choose rows of two with where.`,
    );
  const place = new Map(classes.map((value, k) => [value, k]));
  const targets = Float64Array.from(values, (value) => place.get(value)!);
  const counts = classes.map((_, k) => targets.filter((target) => target === k).length);
  return { task: "classes", targets, classes, positive: null, counts };
}

function usualPositive(classes: readonly LabelValue[]): LabelValue | undefined {
  if (classes.length !== 2) return undefined;
  return classes.every((value) => typeof value === "boolean")
    ? true
    : classes.every((value) => value === 0 || value === 1)
      ? 1
      : undefined;
}

/** The distinct values: numbers by size, all others by their texts, an order that no row order changes. */
export function classesInOrder(values: readonly LabelValue[]): LabelValue[] {
  return [...new Set(values)].sort(compare);
}

function compare(a: LabelValue, b: LabelValue): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [one, other] = [`${typeof a} ${a}`, `${typeof b} ${b}`];
  return one < other ? -1 : one > other ? 1 : 0;
}

function badLabel(message: string): ProbeError {
  return new ProbeError("bad_label", message);
}
