import type { Probe } from "./probe.ts";
import { ProbeError } from "./probe-error.ts";

/** The one strength to fit at: the probe's only one, or the one asked for. Throws ProbeError `bad_option`. */
export function oneStrength(
  { name, C: values }: Pick<Probe, "name" | "C">,
  asked: number | undefined,
): number | undefined {
  if (values === null) {
    if (asked === undefined) return undefined;
    throw new ProbeError("bad_option", `C is ${asked}, and the probe ${name} has no strength to choose.`, {
      C: asked,
    });
  }
  if (asked === undefined && values.length === 1) return values[0];
  if (asked !== undefined && values.includes(asked)) return asked;
  throw new ProbeError(
    "bad_option",
    `The probe ${name} has the strengths ${values.join(", ")}, and C is ${asked ?? "not given"}: give C, one of them.`,
    { C: asked },
  );
}
