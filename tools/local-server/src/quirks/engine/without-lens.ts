import type { GenerationRequest } from "@residua/engine";

/** The request without its capture and its steering. */
export function withoutLens(request: GenerationRequest): GenerationRequest {
  const { capture: _capture, steering: _steering, ...plain } = request;
  return plain;
}
