import type { LensProfile } from "../profiles/lens-profile.ts";
import { VerificationError } from "./verification-error.ts";

/** The error of a 200 without a capture, with the known causes, the likeliest for this kind of server first. */
export function missingActivations(
  { missing }: Pick<LensProfile, "missing">,
  layers: readonly number[] | undefined,
): VerificationError {
  return new VerificationError(
    "missing_activations",
    `layers ${layers?.join(", ") ?? "(all)"} were asked for, and the answer is a 200 without activations. Known causes: ${missing.join("; ")}`,
    { layers, causes: missing },
  );
}
