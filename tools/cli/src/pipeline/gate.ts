import { z } from "zod";

/** A number that a result must reach: `auroc.low >= 0.8`. */
export interface Gate {
  readonly text: string;
  /** Names and indices into the result, from the left. */
  readonly path: readonly string[];
  readonly operator: Operator;
  readonly bound: number;
}

const operators = {
  ">=": (value: number, bound: number) => value >= bound,
  "<=": (value: number, bound: number) => value <= bound,
  ">": (value: number, bound: number) => value > bound,
  "<": (value: number, bound: number) => value < bound,
  "==": (value: number, bound: number) => value === bound,
};
type Operator = keyof typeof operators;

const form = /^\s*([\w-]+(?:\.[\w-]+)*)\s*(>=|<=|==|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*$/;
const allowed = "a comparison such as auroc.low >= 0.8 (with >=, <=, >, < or ==)";

export const gateSchema = z.string().transform((text, context): Gate => {
  const found = form.exec(text);
  if (!found) {
    context.issues.push({ code: "custom", message: allowed, input: text });
    return z.NEVER;
  }
  const [, path, operator, bound] = found;
  return { text: text.trim(), path: path!.split("."), operator: operator as Operator, bound: Number(bound) };
});

/** What became of a gate. `value` is null where the result has no such number, or it is not defined; `reason` says why. */
export interface GateOutcome {
  readonly gate: string;
  readonly value: number | null;
  readonly passed: boolean;
  readonly reason?: string;
}

/** Short names for places in results, by the kind of result. */
const places = new Map([
  ["layer-sweep auroc", "chosen.outerScore"],
  ["layer-sweep score", "chosen.outerScore"],
  ["layer-sweep r2", "chosen.outerScore"],
  ["layer-sweep layer", "chosen.layer"],
  ["layer-sweep p", "chosen.permutation.correctedP"],
]);

/** Compares a result with a gate. A number that is not there, or is not defined, passes no gate. */
export function tryGate(gate: Gate, result: unknown): GateOutcome {
  const { kind } = Object(result) as { kind?: string };
  const [first = "", ...rest] = gate.path;
  const place = places.get(`${kind} ${first}`)?.split(".") ?? [first];
  let value = result;
  for (const key of [...place, ...rest]) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key))
      return { gate: gate.text, value: null, passed: false, reason: absent(key, value) };
    value = (value as Record<string, unknown>)[key];
  }
  // An estimate stands for its value.
  if (typeof value === "object" && value !== null && "value" in value) value = value.value;
  if (typeof value !== "number") {
    const reason = value === null ? "it is not defined" : `it is no number but ${typeof value}`;
    return { gate: gate.text, value: null, passed: false, reason };
  }
  return { gate: gate.text, value, passed: operators[gate.operator](value, gate.bound) };
}

function absent(key: string, value: unknown): string {
  const keys = typeof value === "object" && value !== null ? Object.keys(value).slice(0, 20) : [];
  return `the result has no "${key}"${keys.length > 0 ? `; there are ${keys.join(", ")}` : " there"}`;
}
