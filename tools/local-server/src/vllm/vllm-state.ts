import { ActivationHandles } from "./activation-handles.ts";
import { Metrics } from "./metrics.ts";

/** What a server of this profile keeps between requests. */
export interface VllmState {
  readonly handles: ActivationHandles;
  readonly metrics: Metrics;
}

export function vllmState(): VllmState {
  return { handles: new ActivationHandles(), metrics: new Metrics() };
}
