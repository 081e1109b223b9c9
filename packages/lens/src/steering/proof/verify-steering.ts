import { InvalidRequestError } from "@residua/client";
import type { LensCore } from "../../lens-core.ts";
import type { CaptureCheck, LensOptions } from "../../lens-types.ts";
import {
  type AnyCapture,
  type AnyGenerate,
  checkCaptureRequest,
  checkGenerateRequest,
} from "../../requests/lens-request.ts";
import { lowestLayer } from "../../layers/lowest-layer.ts";
import { checkRun } from "../steering-request.ts";
import type { SteeringVector } from "../steering-vector.ts";
import { judgeProof } from "./judge-proof.ts";
import { type LayerProof, proveLayer } from "./layer-proof.ts";
import { atLayers } from "./restrict-vector.ts";
import { mostTokens, type Probed, type ProvenRequest, runProbe } from "./run-probe.ts";

/** What was proven of a request's steering. A failed check is an error, so these hold no failure. */
export interface SteeringReport {
  readonly checks: readonly CaptureCheck[];
  /** The measurements, layer by layer. */
  readonly layers: readonly LayerProof[];
}

/**
 * Proves the steering of a request on the server: one capture of some generated tokens with the vectors, and for each steered layer
 * one of the same tokens, teacher-forced, without the vectors of this layer and above. What differs at the layer must be the
 * vectors, and nothing may differ one layer below. With `verify: "first layer"` only the lowest steered layer is proven, with two
 * captures. Throws VerificationError, and what `capture` throws.
 */
export async function verifySteering(
  core: LensCore,
  request: ProvenRequest,
  options: LensOptions = {},
): Promise<SteeringReport> {
  checkProven(request, core);
  const { steering = [] } = request;
  const all = [...new Set(steering.flatMap(({ layers }) => layers))].sort((a, b) => a - b);
  const proven = request.verify === "first layer" ? all.slice(0, 1) : all;
  if (proven.length === 0) {
    const detail = "nothing is steered, so there is nothing to prove";
    return { checks: [{ code: "steering_delta", status: "unverified", detail }], layers: [] };
  }
  const probe = runProbe(core, request, options);
  const steered = await probe.steered(withBelow(proven));
  // The capture tells how many tokens the prompt has, where nothing else did.
  checkRun(steering, steered.promptRows + mostTokens(request) - 1);
  const layers: LayerProof[] = [];
  const checks: CaptureCheck[] = [];
  for (const layer of proven) {
    const lower = steering.flatMap((vector) => atLayers(vector, (at) => at < layer));
    const { plain, rows } = await probe.again(steered, { steering: lower, layers: withBelow([layer]) });
    const proof = proveLayer(steering, { layer, steered: steered.capture, plain, rows });
    layers.push(proof);
    checks.push(...judgeProof(proof), ...unseen(steering, rows, layer, { steered, request }));
  }
  if (proven.length < all.length) {
    const detail = `layers ${all.slice(proven.length).join(", ")} were not compared (verify: "first layer")`;
    checks.push({ code: "steering_delta", status: "unverified", detail });
  }
  return { checks, layers };
}

/** As a capture or a completion would check it. Throws InvalidRequestError. */
function checkProven(request: ProvenRequest, { client, profile }: LensCore): void {
  const captures = typeof request === "object" && (request as unknown) !== null && "layers" in request;
  if (captures) checkCaptureRequest(request as AnyCapture, client.profile, lowestLayer(profile));
  else checkGenerateRequest(request, client.profile);
  const { interventions = [] } = request as Partial<AnyGenerate>;
  if (interventions.length === 0) return;
  const issue = {
    field: "interventions",
    given: `${interventions.length} interventions`,
    allowed: "none where the steering is proven: they change what it does; prove it without them",
  };
  throw new InvalidRequestError([issue]);
}

/** The checks of `verify` where a request has it. */
export async function provenIfAsked(
  core: LensCore,
  request: ProvenRequest,
  options: LensOptions,
): Promise<readonly CaptureCheck[]> {
  if (request.verify === undefined || request.verify === false) return [];
  return (await verifySteering(core, request, options)).checks;
}

/** Layers with the ones below them, ascending. */
function withBelow(layers: readonly number[]): number[] {
  const all = new Set(layers.flatMap((layer) => (layer === 0 ? [0] : [layer - 1, layer])));
  return [...all].sort((a, b) => a - b);
}

/** Rows that the request will run and these captures do not show. */
function unseen(
  vectors: readonly SteeringVector[],
  rows: number,
  layer: number,
  { steered, request }: { steered: Probed; request: ProvenRequest },
): CaptureCheck[] {
  const { positions, promptRows } = steered;
  const check = (code: string, detail: string): CaptureCheck => ({ code, status: "unverified", detail });
  const checks: CaptureCheck[] = [];
  const decodes = mostTokens(request) > 1;
  if (rows < promptRows || (decodes && rows === promptRows)) {
    const why = positions > rows ? "the server does not tell their token ids" : "the model ended at once";
    const what = rows < promptRows ? `rows from ${rows} on` : "generated rows";
    checks.push(check("steering_generated", `layer ${layer}: ${what} were not compared: ${why}`));
  }
  const late = vectors.flatMap((vector) => vector.positions ?? []).filter((position) => position >= rows);
  if (late.length > 0) {
    const detail = `layer ${layer}: positions ${late.join(", ")} are beyond the ${rows} rows compared`;
    checks.push(check("steering_positions", detail));
  }
  return checks;
}
