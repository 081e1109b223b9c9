import type { ProfileName } from "../../profiles.ts";
import { defineEndpoint } from "./endpoint.ts";

/** A route without a body: it takes no field. */
function query<N extends string>(profile: ProfileName, name: N, route: string) {
  return defineEndpoint({ profile, name, what: `${name} request`, route, fields: {} });
}

export const acsModels = query("acs", "models", "GET /v1/models");
export const acsHealth = query("acs", "health", "GET /health");
export const vllmModels = query("vllm", "models", "GET /v1/models");
export const vllmVersion = query("vllm", "version", "GET /version");
export const vllmHealth = query("vllm", "health", "GET /health");
export const octoaiModels = query("octoai", "models", "GET /v1/models");
