import { shown } from "../../options/shown.ts";
import type { Probe, ProbeColumn } from "../probe.ts";
import { ProbeError } from "../probe-error.ts";

/**
 * That marks are 0 or 1, weights finite and at least 0, and labels of training rows what the probe reads: 0 or 1 (true, false), or finite
 * numbers. Throws ProbeError `bad_option`, `bad_label`.
 */
export function checkColumns({ name, target }: Probe, columns: readonly ProbeColumn[]): void {
  // Columns of one fold share their marks, those of one bootstrap draw their weights: each is looked at once.
  const seen = new Set<unknown>();
  const isFirst = (list: object) => !seen.has(list) && seen.add(list);
  const isLabel = target === "number" ? isNumber : isMark;
  columns.forEach(({ training: { included }, labels, weights }, k) => {
    const refuse = (code: "bad_option" | "bad_label", field: string, given: unknown, allowed: string) => {
      const message = `columns[${k}].${field} is ${shown(given)}: ${allowed}.`;
      throw new ProbeError(code, message, { column: k, field });
    };
    const checkAll = (
      field: string,
      list: ArrayLike<unknown>,
      isRight: (value: unknown) => boolean,
      allowed: string,
    ) => {
      for (let row = 0; row < list.length; row++) {
        if (!isRight(list[row])) refuse("bad_option", `${field}[${row}]`, list[row], allowed);
      }
    };
    if (isFirst(included))
      checkAll("training.included", included, isMark, "a row takes part by 1, and does not by 0");
    if (weights && isFirst(weights))
      checkAll("weights", weights, isWeight, "a row's weight is a finite number of at least 0");
    for (let row = 0; row < labels.length; row++) {
      if (!included[row] || isLabel(labels[row])) continue;
      const allowed =
        target === "number" ? "finite numbers" : "1 (positive) and 0, one class against the rest";
      refuse(
        "bad_label",
        `labels[${row}]`,
        labels[row],
        `the probe ${name} reads ${allowed}, and the row is one to train on`,
      );
    }
  });
}

function isMark(value: unknown): boolean {
  return value === 0 || value === 1 || value === true || value === false;
}

function isNumber(value: unknown): boolean {
  return Number.isFinite(value);
}

function isWeight(value: unknown): boolean {
  return isNumber(value) && (value as number) >= 0;
}
