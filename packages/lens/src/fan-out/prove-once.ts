import type { LensCore } from "../lens-core.ts";
import type { CaptureCheck, LensOptions } from "../lens-types.ts";
import type { AnyGenerate } from "../requests/lens-request.ts";
import { provenIfAsked } from "../steering/proof/verify-steering.ts";

/** Proves a run's steering where a request asks for it (`verify`): once for each prompt, whose choices come one after another. */
export function proveOnce(core: LensCore) {
  let last: { prompt: number; checks: Promise<readonly CaptureCheck[]> } | undefined;
  return (request: AnyGenerate, prompt: number, options: LensOptions): Promise<readonly CaptureCheck[]> => {
    if (last?.prompt !== prompt) last = { prompt, checks: provenIfAsked(core, request, options) };
    return last.checks;
  };
}
