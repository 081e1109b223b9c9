import { type ModelDescription, widthOf, type WireSteeringVector } from "@residua/client";
import type { LensCore } from "../lens-core.ts";
import type { CaptureCheck } from "../lens-types.ts";
import type { TokenBounds } from "../limits/capture-limit.ts";
import { ownSalt } from "../profiles/own-salt.ts";
import type { LensFields } from "../profiles/lens-fields.ts";
import { checkPositions } from "./check-positions.ts";
import { checkSteering } from "./steering-request.ts";
import type { SteeringVector } from "./steering-vector.ts";
import { wireSteering } from "./wire-steering.ts";

/** The request that vectors go into. */
export interface SteeredRequest {
  model: ModelDescription;
  /** How many tokens the prompt has. */
  tokens: TokenBounds;
  maxTokens: number;
  /** The other fields of the request: a salt that the user set there is kept. */
  fields: object;
}

/** What vectors add to a request. */
export interface PreparedSteering {
  fields: Pick<LensFields, "steering" | "cacheSalt" | "skipCache">;
  checks: CaptureCheck[];
}

/**
 * The wire form of vectors, checked against the model, and what else of the request they ask for: a salt that keeps steered blocks of
 * the prefix cache from other requests. An empty list is the comparison of steered requests: it reads nothing from that cache.
 * Throws SteeringError.
 */
export async function prepareSteering(
  { profile, behaviours }: Pick<LensCore, "profile" | "behaviours">,
  vectors: readonly SteeringVector[] | undefined,
  { model, tokens, maxTokens, fields }: SteeredRequest,
): Promise<PreparedSteering> {
  if (vectors === undefined) return { fields: {}, checks: [] };
  if (vectors.length === 0) return { fields: { skipCache: true }, checks: [] };
  checkSteering(vectors, {
    hiddenSize: widthOf(model),
    layers: model.layers.value,
    positions: tokens.most + maxTokens - 1,
    limits: profile.limits,
  });
  const places = checkPositions(vectors, { behaviour: behaviours.of(model.id), tokens, maxTokens });
  const longest = profile.limits.steeringBase64;
  const steering = await Promise.all(vectors.map((vector) => wireSteering(vector, longest)));
  return {
    fields: { steering, ...ownSalt(profile, fields) },
    checks: [...places, ...lengthChecks(steering, longest)],
  };
}

/** Vectors that are longer, even packed, than one description of the API allows; the numbers are within its own limit. */
function lengthChecks(vectors: readonly WireSteeringVector[], longest = Infinity): CaptureCheck[] {
  return vectors.flatMap(({ activations: { data } }, i) =>
    data.length <= longest
      ? []
      : [
          {
            code: "steering_length",
            status: "unverified" as const,
            detail: `steering vector ${i} is ${data.length} characters of base64, over the ${longest} that one description of the API allows; left to the server`,
          },
        ],
  );
}
