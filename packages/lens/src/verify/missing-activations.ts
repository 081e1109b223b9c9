import { APIError, type Completion } from "@residua/client";
import type { PreparedCapture } from "../capture/prepare-capture.ts";
import type { LensCore } from "../lens-core.ts";
import { fieldAt } from "../profiles/field-path.ts";
import { VerificationError } from "./verification-error.ts";

/**
 * The error of a 200 without a capture, with the known causes: first those that something speaks for, then the likeliest
 * for this kind of server, last those that something speaks against.
 */
export async function missingActivations(
  core: LensCore,
  prepared: PreparedCapture,
  completion: Completion,
): Promise<VerificationError> {
  const { profile } = core;
  const { layers, model } = prepared;
  const signs: Record<string, boolean | undefined> = {
    no_plugin: await routeIsMissing(core, prepared.signal),
    unknown_layers: model.layers.value === undefined ? undefined : false,
    steered: fieldAt(prepared.body, profile.steering.path) === undefined ? false : undefined,
    several_choices: completion.choices.length > 1,
  };
  const causes = profile.missing.map((one) => {
    const { cause, sign } = typeof one === "string" ? { cause: one, sign: undefined } : one;
    const seen = sign === undefined ? undefined : signs[sign];
    return { cause, sign, seen, rank: seen === undefined ? 1 : seen ? 0 : 2 };
  });
  const ordered = [...causes].sort((a, b) => a.rank - b.rank);
  const known = core.behaviours.of(model.id).layers;
  const before =
    known === undefined ? "" : " A self-test of this server got captures, so it can make them as a rule.";
  return new VerificationError(
    "missing_activations",
    `layers ${layers?.join(", ") ?? "(all)"} were asked for, and the answer is a 200 without activations.${before} ` +
      `Known causes, the likeliest first: ${ordered.map(text).join("; ")}`,
    { layers, causes: ordered.map(({ cause }) => cause) },
  );
}

function text({ cause, seen }: { cause: string; seen: boolean | undefined }): string {
  if (seen === undefined) return cause;
  return seen ? `${cause} (this is seen here)` : `${cause} (not this request, as far as can be seen)`;
}

/** Whether the route that comes with captures is not there; undefined where that is not known. */
async function routeIsMissing(
  { client, profile: { pluginRoute } }: LensCore,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  if (pluginRoute === undefined) return undefined;
  try {
    await client.request(pluginRoute, { maxRetries: 0, ...(signal && { signal }) });
    return false;
  } catch (error) {
    return error instanceof APIError && error.status === 404 ? true : undefined;
  }
}
