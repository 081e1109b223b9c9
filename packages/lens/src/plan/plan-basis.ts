import type { ModelDescription } from "@residua/client";
import { type Bounds, plusBounds, sumOfBounds } from "./bounds.ts";
import { type CaptureRate, secondsAt } from "./capture-rates.ts";
import type { CapturePlan, PlannedCapture } from "./plan-types.ts";

/** A capture of a plan with what its estimates rest on. */
export interface Asked {
  capture: PlannedCapture;
  model: ModelDescription;
  /** Prompt + generated − 1. */
  positions: Bounds;
}

/**
 * Bytes of a number on the wire: bfloat16 after zstd and base64. Source: measured on answers of vllm-lens 1.3 and on Gaussian
 * values (2.07 to 2.1); base64 without zstd would be 2.67.
 */
export const wireBytesPerNumber = 2.1;

/** Undefined without a rate, or where it counts numbers and those are not known. */
export function planSeconds(
  sent: readonly Asked[],
  numbers: Bounds | undefined,
  rate: CaptureRate | undefined,
): Pick<CapturePlan, "seconds" | "rate"> {
  const usable = rate && numbers === undefined ? withoutNumbers(rate) : rate;
  if (usable === undefined) return { seconds: undefined, rate: undefined };
  const none: Bounds = { least: 0, most: 0 };
  const requests = sent.reduce((sum, { capture }) => sum + capture.requests.length, 0);
  // Each request of a split capture runs all its positions.
  const positions = sent.map(({ positions: own, capture }) =>
    capture.requests.reduce<Bounds>((sum) => plusBounds(sum, own), none),
  );
  return {
    seconds: secondsAt(usable, {
      requests: { least: requests, most: requests },
      positions: sumOfBounds(positions) ?? none,
      numbers: numbers ?? none,
    }),
    rate: usable,
  };
}

function withoutNumbers({ numbers: _, ...rate }: CaptureRate): CaptureRate | undefined {
  return rate.requests === undefined && rate.positions === undefined ? undefined : rate;
}

export function planBasis(
  sent: readonly Asked[],
  { rate, stated }: { rate: CaptureRate | undefined; stated: boolean },
): CapturePlan["basis"] {
  const widths = new Set(sent.map(({ model }) => widthText(model)));
  const numbers = `layers × (prompt + generated − 1) × hidden size; ${[...widths].join("; ")}`;
  return {
    tokens: tokensText(sent),
    numbers,
    wireBytes: `about ${wireBytesPerNumber} bytes a number: bfloat16 packed by zstd, as base64`,
    diskBytes: "2 bytes a number of rows as captured (bfloat16), 4 of pooled ones; the rows alone",
    seconds: secondsText(rate, stated),
  };
}

function tokensText(sent: readonly Asked[]): string {
  const counts = new Map<string, number>();
  const words = {
    ids: "given as token ids",
    tokenizer: "counted by the tokenizer",
    server: "counted by the server",
    bytes: "bounded by their UTF-8 bytes",
  };
  for (const { capture } of sent) {
    const word = words[capture.tokens.source];
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} prompts ${word}`).join(", ");
}

function widthText({ id, hiddenSize, observedHiddenSize, layers }: ModelDescription): string {
  const width =
    hiddenSize.source !== "default"
      ? `${hiddenSize.value} (${hiddenSize.source})`
      : observedHiddenSize.value === undefined
        ? "not known: state it, createClient({ models }), or capture once"
        : `${observedHiddenSize.value} (observed)`;
  const depth = layers.value === undefined ? "not known" : `${layers.value} (${layers.source})`;
  return `${id}: hidden size ${width}, layers ${depth}`;
}

function secondsText(rate: CaptureRate | undefined, stated: boolean): string {
  if (rate === undefined) {
    return "not known: no rate is stated (rate), and this lens has captured nothing of the model yet";
  }
  const { seconds, ...counts } = rate;
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  const from = stated ? "stated" : "measured by this lens";
  return `${parts.join(", ")} in ${seconds.toPrecision(3)} s (${from}), one request at a time`;
}
