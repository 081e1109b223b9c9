import { InvalidRequestError } from "@residua/client";
import type { LensCore } from "../lens-core.ts";
import type { Capture, LensOptions } from "../lens-types.ts";
import type { AnyCapture, CheckedCapture } from "../requests/lens-request.ts";
import { makeMerger } from "./merge-captures.ts";
import { sizeCapture } from "./size-capture.ts";
import { splitLayers } from "./split-layers.ts";

/**
 * The capture, by as many requests as the limit asks for where `split` is set; `once` sends one. They go one after the other:
 * a server's arithmetic, and so what it generates, may depend on what it runs at the same time. Throws InvalidRequestError
 * for a sampled request without a seed, `split_mismatch` where the answers do not agree, and what `once` throws.
 */
export async function captureInParts(
  core: LensCore,
  given: AnyCapture,
  options: LensOptions,
  once: (request: AnyCapture) => Promise<Capture>,
): Promise<Capture> {
  // What is no request is refused where requests are checked.
  if ((given as Partial<AnyCapture> | null | undefined)?.split !== true) return once(given);
  const { split: _split, ...request } = given;
  const sized = await sizeCapture(core, request, options);
  const { requests, fits } = splitLayers(sized);
  // What cannot fit is left to the limit's own error.
  if (fits === "never" || requests.length <= 1) return once(request);
  const parts = requests.map((layers) => layers ?? []);
  checkRepeatable(sized.request, parts.length);
  const merger = makeMerger(parts);
  const { verify: _proven, ...others } = request;
  // The proof of the steering is of the whole request, and comes with the first part.
  for (const [i, layers] of parts.entries())
    merger.add(await once({ ...(i === 0 ? request : others), layers }));
  return merger.finish();
}

/** Parts of a capture must see the same tokens. Throws InvalidRequestError. */
export function checkRepeatable({ temperature, seed }: CheckedCapture, parts: number): void {
  if (temperature === 0 || (typeof seed === "number" && seed >= 0)) return;
  const issue = {
    field: "split",
    given: `${parts} requests at temperature ${temperature} without a seed`,
    allowed: "temperature 0 or a seed",
    hint: "each request would sample tokens of its own, and their rows would not belong together",
  };
  throw new InvalidRequestError([issue], "capture request");
}
