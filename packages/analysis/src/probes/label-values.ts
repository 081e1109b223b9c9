import { shown } from "../options/shown.ts";
import { ProbeError } from "./probe-error.ts";
import type { LabelValue } from "./sweep-rows.ts";

/** A label as it is read: whole numbers of int64 columns are numbers, where these hold them exactly. */
export function plainLabel(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** The same values, each of which can name a class. Throws ProbeError `bad_label`. */
export function classValues(values: readonly unknown[], label: string): LabelValue[] {
  const plain = values.map(plainLabel);
  const at = plain.findIndex((value) => !isClass(value));
  if (at < 0) return plain as LabelValue[];
  const odd = plain[at];
  const given = typeof odd === "bigint" ? `${odd}n` : shown(odd);
  const message = `Label ${label} holds ${given}: a class is a text, a finite number, true or false.`;
  throw new ProbeError("bad_label", message, { label });
}

function isClass(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}
