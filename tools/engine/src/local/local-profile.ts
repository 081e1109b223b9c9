import { type LensProfile, lensProfiles } from "@residua/lens";
import { engineVersion } from "../engine-version.ts";

const { acs } = lensProfiles;
// A vector need not be short where nothing carries it.
const { steeringBase64: _packed, ...limits } = acs.limits;

/** How a model in this process takes captures and steering: as the hosted API, and what only a local model can do. */
export const localProfile: LensProfile = {
  ...acs,
  name: "local",
  version: `@residua/engine ${engineVersion}`,
  capture: { ...acs.capture, embeddings: ["residua_embeddings"] },
  interventions: { path: ["residua_interventions"], most: 8 },
  limits,
};

/** Fields of requests that no hosted server has. */
export const ownFields = ["residua_embeddings", "residua_interventions"];
