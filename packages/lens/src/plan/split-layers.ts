import type { SizedCapture } from "./size-capture.ts";
import { captureNumbers, judgeCapture } from "../limits/capture-limit.ts";

/** How a capture is sent: as it is, over several requests, or not at all. */
export interface LayerSplit {
  /** `unknown`: not even the least part is known to fit, and the server decides. */
  fits: "fits" | "unknown" | "never";
  /** The layers of each request, ascending; one request of undefined for all layers of a model of unknown depth. */
  requests: readonly (readonly number[] | undefined)[];
}

/**
 * Layers in as few requests as fit, of equal sizes. Where tokens have bounds only, the upper one counts. What a server that
 * gives every layer in any case is asked for cannot be split.
 */
export function splitLayers({
  layers,
  question,
  gives,
}: Pick<SizedCapture, "layers" | "question" | "gives">): LayerSplit {
  const whole = judgeCapture(question);
  const { hiddenSize } = question;
  if (layers === undefined || hiddenSize === undefined || gives === "all" || whole === "fits") {
    return { fits: whole === "exceeds" ? "never" : whole, requests: whole === "exceeds" ? [] : [layers] };
  }
  const one = { ...question, layers: 1 };
  if (judgeCapture(one) === "exceeds") return { fits: "never", requests: [] };
  const each = captureNumbers({
    layers: 1,
    promptTokens: question.tokens.most,
    maxTokens: question.maxTokens,
    hiddenSize: hiddenSize.value,
  });
  const most = Math.max(1, Math.floor(question.limit / each));
  return {
    fits: judgeCapture(one) === "fits" ? "fits" : "unknown",
    requests: inParts(layers, Math.ceil(layers.length / most)),
  };
}

function inParts(layers: readonly number[], parts: number): number[][] {
  const at = (i: number) => Math.floor((i * layers.length) / parts);
  return Array.from({ length: parts }, (_, i) => layers.slice(at(i), at(i + 1)));
}
