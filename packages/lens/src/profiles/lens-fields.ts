import type { WireSteeringVector } from "@residua/client";
import type { HookBlob } from "../hooks/hook-blob.ts";
import type { WireIntervention } from "../interventions/prepare-interventions.ts";
import { hooksOf } from "../hooks/hooks-of.ts";
import { withField } from "./field-path.ts";
import type { LensProfile } from "./lens-profile.ts";

/** What a request asks of lens, before it has the form of a profile. */
export interface LensFields {
  /** Ascending, each once, −1 for token embeddings where the profile has them; `"all"` where the model's number of layers is not known. Left out: no capture. */
  layers?: readonly number[] | "all" | undefined;
  steering?: readonly WireSteeringVector[] | undefined;
  interventions?: readonly WireIntervention[] | undefined;
  /** Made elsewhere, and passed on as they are. */
  hooks?: readonly HookBlob[] | undefined;
  /** Keeps what the request leaves in the prefix cache from all others, where the profile can. */
  cacheSalt?: string | undefined;
  /** Computes every position anew, where the profile can. */
  skipCache?: boolean | undefined;
  /** Asks for tensors as bytes of a route of their own, where the profile can. */
  binary?: boolean | undefined;
}

/** The body with what is asked of lens, where and as the profile says. */
export function withLensFields(
  body: object,
  profile: LensProfile,
  { layers, steering, interventions, hooks, cacheSalt, skipCache, binary }: LensFields,
): object {
  const steps: [readonly string[], unknown][] = [];
  if (layers !== undefined) {
    const { path, form, all, embeddings } = profile.capture;
    const blocks = layers === "all" ? layers : layers.filter((layer) => layer >= 0);
    if (blocks === "all") steps.push([path, all]);
    else if (blocks.length > 0) steps.push([path, inForm(form, blocks)]);
    if (embeddings !== undefined && blocks.length < layers.length) steps.push([embeddings, true]);
  }
  if (steering !== undefined && steering.length > 0)
    steps.push([profile.steering.path, inForm(profile.steering.form, steering)]);
  if (interventions !== undefined && profile.interventions)
    steps.push([profile.interventions.path, interventions]);
  if (hooks !== undefined) steps.push([hooksOf(profile).path, JSON.stringify(hooks)]);
  if (cacheSalt !== undefined && profile.cacheSalt) steps.push([profile.cacheSalt, cacheSalt]);
  if (skipCache === true && profile.skipCache) steps.push([profile.skipCache.path, profile.skipCache.value]);
  if (binary === true && profile.binary) steps.push([profile.binary.path, profile.binary.value]);
  return steps.reduce((sofar, [path, value]) => withField(sofar, path, value), body);
}

function inForm(form: "list" | "json", value: readonly unknown[]): unknown {
  return form === "json" ? JSON.stringify(value) : [...value];
}
