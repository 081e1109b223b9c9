import type { Client, ProfileName } from "@residua/client";
import type { LensOptions } from "../lens-types.ts";
import { checkTensorArguments } from "../arguments/check-arguments.ts";
import { aFunction, fields, kind, optional, signal as signalKind } from "../arguments/kinds.ts";
import { chooseProfile, type lensProfiles } from "../profiles/choose-profile.ts";
import type { LensProfile } from "../profiles/lens-profile.ts";
import { loadTensor, type TensorSource } from "./load-tensor.ts";
import { decodeTensor, type Tensor } from "./tensor-codec.ts";
import { TensorError } from "./tensor-error.ts";

export interface DecodeActivationsOptions<P extends ProfileName = "acs"> extends LensOptions {
  /** Fetches tensors behind handles; left out, these are an error. */
  client?: Client<P>;
  /** Where handles are fetched. Default: as the client's profile says. */
  profile?: keyof typeof lensProfiles | LensProfile;
}

const optionsKind = fields({
  client: optional(fields({ request: aFunction }, { loose: true })),
  // Its words are checked where it is used.
  profile: kind("a profile", () => true),
  signal: optional(signalKind),
});

/** What an answer's `activations` hold. */
export interface DecodedActivations {
  /**
   * By name: `residual_stream` `[layers, positions, hidden]`, `attn_q` `[layers, positions, heads, head size]`, `attn_k`
   * `[layers, positions, key heads, head size]`.
   */
  tensors: Record<string, Tensor>;
  /** By name, what is no tensor: `qk_layers`, `qk_meta`. */
  values: Record<string, unknown>;
}

/**
 * Decodes every entry of an answer's `activations`. Nothing is compared with a request: `lens.capture` does that. Throws
 * TensorError, its message beginning with the entry's name.
 */
export async function decodeActivations<P extends ProfileName = "acs">(
  answer: unknown,
  options: DecodeActivationsOptions<P> = {},
): Promise<DecodedActivations> {
  checkTensorArguments("decodeActivations", { options: [options, optionsKind] });
  const { client, profile, signal } = options;
  const activations = (answer as { activations?: unknown } | null | undefined)?.activations;
  if (typeof activations !== "object" || activations === null)
    throw new TensorError("tensor_form", "the answer has no activations");
  const chosen =
    client || profile !== undefined ? chooseProfile(profile, client?.profile ?? "acs") : undefined;
  const source = client && chosen && { client, profile: chosen };
  const tensors: [string, Tensor][] = [];
  const values: [string, unknown][] = [];
  for (const [name, entry] of Object.entries(activations as Record<string, unknown>)) {
    if (holdsValue(entry)) values.push([name, entry.__json__]);
    else tensors.push([name, await named(name, load(source, entry, signal && { signal }))]);
  }
  return { tensors: Object.fromEntries(tensors), values: Object.fromEntries(values) };
}

function load(source: TensorSource | undefined, entry: unknown, options?: LensOptions): Promise<Tensor> {
  return source ? loadTensor(source, entry, options) : decodeTensor(entry);
}

function holdsValue(entry: unknown): entry is { __json__: unknown } {
  return typeof entry === "object" && entry !== null && Object.hasOwn(entry, "__json__");
}

async function named(name: string, tensor: Promise<Tensor>): Promise<Tensor> {
  try {
    return await tensor;
  } catch (error) {
    if (!(error instanceof TensorError)) throw error;
    throw new TensorError(error.code, `${name}: ${error.message}`, { ...error.data, entry: name });
  }
}
