import { type Completion, type CompletionRequest, completionEndpoints, type Endpoint } from "@residua/client";
import { prepareCapture } from "../../capture/prepare-capture.ts";
import { readCapture } from "../../capture/read-capture.ts";
import type { LensCore } from "../../lens-core.ts";
import type { Capture, CaptureCheck, LensOptions } from "../../lens-types.ts";
import { tokenBounds } from "../../limits/capture-limit.ts";
import type { AnyCapture, AnyGenerate } from "../../requests/lens-request.ts";
import type { SteeringVector } from "../steering-vector.ts";
import { judgeProof } from "./judge-proof.ts";
import { type LayerProof, proveLayer } from "./layer-proof.ts";
import { atLayers, beforePosition } from "./restrict-vector.ts";
import { sameTokens, teacherPrompts } from "./teacher-prompts.ts";
import { withGeneratedIds } from "./generated-ids.ts";

/** What was proven of a request's steering. A failed check is an error, so these hold no failure. */
export interface SteeringReport {
  readonly checks: readonly CaptureCheck[];
  /** The measurements, layer by layer. */
  readonly layers: readonly LayerProof[];
}

/** A request whose steering is to be proven. */
export type SteeredRequest = Pick<AnyGenerate, "model" | "prompt" | "steering" | "max_tokens"> & {
  add_special_tokens?: boolean | null | undefined;
  verify?: "first layer" | boolean | undefined;
};

/** Generated tokens of the steered capture: two rows of decoding, and more where positions are named further on. */
const fewTokens = 3;
const manyTokens = 32;

/**
 * Proves the steering of a request on the server: one capture with the vectors of some generated tokens, and for each steered layer
 * one of the same tokens, teacher-forced, without the vectors of this layer and above. What differs at the layer must be the
 * vectors, nothing may differ one layer below. With `verify: "first layer"` only the lowest steered layer is proven, with two captures.
 * Throws VerificationError, and what `capture` throws.
 */
export async function verifySteering(
  core: LensCore,
  request: SteeredRequest,
  options: LensOptions = {},
): Promise<SteeringReport> {
  const { steering = [] } = request;
  const all = [...new Set(steering.flatMap(({ layers }) => layers))].sort((a, b) => a - b);
  const proven = request.verify === "first layer" ? all.slice(0, 1) : all;
  if (proven.length === 0) {
    return { checks: [{ code: "steering_delta", status: "pass", detail: "nothing is steered" }], layers: [] };
  }
  const ask = (more: Partial<AnyCapture>): Promise<Capture> =>
    probe(core, { ...probeFields(core, request), layers: withBelow(proven), ...more }, options);
  const steered = await steeredCapture(core, request, (fields) => ask({ ...fields, steering }), options);
  const layers: LayerProof[] = [];
  const checks: CaptureCheck[] = [];
  for (const layer of proven) {
    const lower = steering.flatMap((vector) => atLayers(vector, (at) => at < layer));
    const plain = await forced(steered, request, (fields) =>
      ask({ ...fields, layers: withBelow([layer]), steering: lower }),
    );
    const proof = proveLayer(steering, { layer, steered, ...plain });
    layers.push(proof);
    checks.push(...judgeProof(proof), ...unseen(steering, proof, steered, request));
  }
  if (proven.length < all.length) {
    const detail = `layers ${all.slice(proven.length).join(", ")} were not compared (verify: "first layer")`;
    checks.push({ code: "steering_delta", status: "unverified", detail });
  }
  return { checks, layers };
}

/** The checks of `verify` where a request has it. */
export async function provenIfAsked(
  core: LensCore,
  request: SteeredRequest,
  options: LensOptions,
): Promise<readonly CaptureCheck[]> {
  if (request.verify === undefined || request.verify === false) return [];
  return (await verifySteering(core, request, options)).checks;
}

async function probe(core: LensCore, request: AnyCapture, options: LensOptions): Promise<Capture> {
  // Positions that these few tokens cannot reach are left to the request itself.
  const { most } = tokenBounds(request.prompt, request.add_special_tokens ?? true);
  const end = most + (request.max_tokens ?? 1) - 1;
  const steering = request.steering?.flatMap((vector) => beforePosition(vector, end));
  const prepared = await prepareCapture(core, { ...request, steering }, options);
  const body = prepared.body as CompletionRequest & { stream?: false };
  const completion: Completion = await core.client.completions.create(body, options);
  return readCapture(core, prepared, completion);
}

function probeFields({ client }: LensCore, request: SteeredRequest): Pick<AnyCapture, "prompt"> {
  const kept = ["model", "prompt", "add_special_tokens", "user", "priority"] as const;
  const { fields }: Endpoint = completionEndpoints[client.profile];
  const given = Object.entries(request).filter(
    ([name]) =>
      (kept as readonly string[]).includes(name) && (name === "model" || Object.hasOwn(fields, name)),
  );
  return Object.fromEntries(given) as Pick<AnyCapture, "prompt">;
}

/** Layers with the ones below them, ascending. */
function withBelow(layers: readonly number[]): number[] {
  const all = new Set(layers.flatMap((layer) => (layer === 0 ? [0] : [layer - 1, layer])));
  return [...all].sort((a, b) => a - b);
}

/** The capture of the request's own vectors, its generated tokens with their ids where the server can be made to tell them. */
async function steeredCapture(
  core: LensCore,
  request: SteeredRequest,
  ask: (fields: Partial<AnyCapture>) => Promise<Capture>,
  options: LensOptions,
): Promise<Capture> {
  const fields = generation(core, request);
  let capture = await ask(fields);
  const ended = capture.completion.choices[0]?.finish_reason === "stop" && (fields.max_tokens ?? 1) > 1;
  // Any tokens will do, as long as there are some: almost uniform sampling seldom takes the end token.
  if (ended && capture.positions <= promptRows(capture)) capture = await ask({ ...fields, temperature: 3 });
  return { ...capture, tokens: await withGeneratedIds(core, capture, options) };
}

/** How many tokens are generated, and that the end does not come before them where the server can be told so. */
function generation({ client }: LensCore, request: SteeredRequest): Partial<AnyCapture> {
  const most = request.max_tokens ?? 16;
  const { least } = tokenBounds(request.prompt, request.add_special_tokens ?? true);
  const last = Math.max(-1, ...(request.steering ?? []).flatMap(({ positions }) => positions ?? []));
  const asked = Math.min(manyTokens, Math.max(fewTokens, last - least + 3));
  const { fields }: Endpoint = completionEndpoints[client.profile];
  return {
    max_tokens: Math.min(most, asked),
    ...(Object.hasOwn(fields, "ignore_eos") && { ignore_eos: true }),
  };
}

/** The capture of the same tokens without some vectors, and how many leading rows are of the same tokens. */
async function forced(
  steered: Capture,
  request: SteeredRequest,
  ask: (fields: Partial<AnyCapture>) => Promise<Capture>,
): Promise<{ plain: Capture; rows: number }> {
  const prompts = teacherPrompts(steered, request);
  const enough = promptRows(steered);
  let best: { plain: Capture; rows: number } | undefined;
  for (const fields of prompts) {
    const plain = await ask({ max_tokens: 1, ...fields });
    const rows = sameTokens(steered, plain);
    if (best === undefined || rows > best.rows) best = { plain, rows };
    if (rows >= enough) break;
  }
  if (best === undefined) throw new Error("no prompt to compare with");
  return best;
}

function promptRows({ tokens }: Capture): number {
  return tokens.filter(({ role }) => role === "prompt").length;
}

/** Rows that the request will run and these captures do not show. */
function unseen(
  vectors: readonly SteeringVector[],
  { layer, steered: shown, still }: LayerProof,
  steered: Capture,
  request: SteeredRequest,
): CaptureCheck[] {
  const seen = shown.length + still.length;
  const prompt = promptRows(steered);
  const check = (code: string, detail: string): CaptureCheck => ({ code, status: "unverified", detail });
  const checks: CaptureCheck[] = [];
  const decodes = (request.max_tokens ?? 16) > 1;
  if (seen < prompt || (decodes && seen === prompt)) {
    const why =
      steered.positions > seen ? "the server does not tell their token ids" : "the model ended at once";
    const what = seen < prompt ? `rows from ${seen} on` : "generated rows";
    checks.push(check("steering_generated", `layer ${layer}: ${what} were not compared: ${why}`));
  }
  const late = vectors.flatMap(({ positions }) => positions ?? []).filter((position) => position >= seen);
  if (late.length > 0) {
    checks.push(
      check(
        "steering_positions",
        `layer ${layer}: positions ${late.join(", ")} are beyond the ${seen} rows compared`,
      ),
    );
  }
  return checks;
}
