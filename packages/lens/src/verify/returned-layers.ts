import type { CaptureCheck } from "../lens-types.ts";
import { VerificationError } from "./verification-error.ts";

export interface ReturnedLayers {
  /** The layers of the answer, in its order. */
  layers: readonly number[];
  /** Where those asked stand in it, when it holds others too. */
  cut: readonly number[] | undefined;
  check: CaptureCheck;
}

/**
 * Which layers an answer holds, by their number alone, for no server names them. Those that were asked; or, at a server
 * that captures every layer whatever is asked (vllm-lens 1.0 and 1.1 with a text), all, and then those asked are cut out.
 * Throws `layer_count`.
 */
export function returnedLayers(
  count: number,
  {
    asked,
    all,
    gives,
  }: {
    /** Ascending; undefined: every layer. */
    asked: readonly number[] | undefined;
    /** The model's number of layers, where it is known. */
    all: number | undefined;
    gives: "asked" | "all";
  },
): ReturnedLayers {
  const every = { layers: Array.from({ length: count }, (_, layer) => layer), cut: undefined };
  if (asked === undefined)
    return { ...every, check: check(all === undefined ? "unverified" : "pass", count) };
  // As many as were asked are those asked, also where the server was thought to give all.
  if (count === asked.length) return { layers: asked, cut: undefined, check: check("pass", count) };
  const last = asked.at(-1) ?? 0;
  if (gives === "all" && count === (all ?? count) && last < count) {
    const detail = `the server captured all ${count} layers; the ${asked.length} asked were cut out`;
    const status = all === undefined ? "unverified" : "pass";
    return { layers: asked, cut: asked, check: { code: "layer_count", status, detail } };
  }
  const ofAll =
    gives === "asked" && all === count
      ? ` ${count} are all that the model has: the server reads the list as every layer, as vllm-lens 1.0 and 1.1 do. Let lens.selfTest find it out, or name the version: createLens(client, { profile: "vllm-lens-1.1" })`
      : " Known causes: a layer the model does not have; a steering vector of the wrong width in this or a concurrent request; a server that reads the layer list wrongly";
  throw new VerificationError(
    "layer_count",
    `${asked.length} layers were asked for and ${count} came; which are missing cannot be told, so none is used.${ofAll}`,
    { expected: gives === "all" ? (all ?? asked.length) : asked.length, received: count },
  );
}

function check(status: CaptureCheck["status"], count: number): CaptureCheck {
  return { code: "layer_count", status, detail: `${count} layers` };
}
