import type { GenerationRequest } from "@residua/engine";

/** The request with more of the engine's faults. */
export function withFaults(faults: GenerationRequest["faults"]) {
  return (request: GenerationRequest): GenerationRequest => ({
    ...request,
    faults: { ...request.faults, ...faults },
  });
}
