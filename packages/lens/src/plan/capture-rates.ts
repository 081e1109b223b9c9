import type { Capture } from "../lens-types.ts";
import { LensOptionError } from "../profiles/lens-option-error.ts";
import type { Bounds } from "./bounds.ts";

/** What captures came to in so many seconds, one at a time. What is left out is not counted with. */
export interface CaptureRate {
  seconds: number;
  requests?: number;
  /** Layers not counted: prompt + generated − 1 of each capture. */
  positions?: number;
  /** Layers × positions × hidden size. */
  numbers?: number;
}

/** The time that captures of this lens took, by model. */
export interface CaptureRates {
  /** Undefined before the first capture. */
  of(model: string): Required<CaptureRate> | undefined;
  note(capture: Pick<Capture, "model" | "layers" | "positions" | "hiddenSize">, seconds: number): void;
}

export function makeCaptureRates(): CaptureRates {
  const rates = new Map<string, Required<CaptureRate>>();
  return {
    of: (model) => rates.get(model),
    note({ model, layers, positions, hiddenSize }, seconds) {
      const sofar = rates.get(model) ?? { seconds: 0, requests: 0, positions: 0, numbers: 0 };
      rates.set(model, {
        seconds: sofar.seconds + seconds,
        requests: sofar.requests + 1,
        positions: sofar.positions + positions,
        numbers: sofar.numbers + layers.length * positions * hiddenSize,
      });
    },
  };
}

/** Throws `invalid_option`. */
export function checkRate(rate: CaptureRate): CaptureRate {
  const { seconds, requests, positions, numbers } = rate;
  const counts = [requests, positions, numbers].filter((count) => count !== undefined);
  if ([seconds, ...counts].every((value) => Number.isFinite(value) && value > 0) && counts.length > 0)
    return rate;
  throw new LensOptionError(
    `rate ${JSON.stringify(rate)}: allowed: seconds, and requests, positions or numbers that were captured in them, each over 0`,
  );
}

/**
 * The time that work takes at a rate. A capture's time is some part for the request, some for each position and some for
 * each number; whatever the parts, it lies between the least and the most of what each count by itself would give.
 */
export function secondsAt(
  rate: CaptureRate,
  work: Readonly<Record<"requests" | "positions" | "numbers", Bounds>>,
): Bounds {
  const kinds = (["requests", "positions", "numbers"] as const).filter((kind) => rate[kind] !== undefined);
  const scaled = (end: "least" | "most") =>
    kinds.map((kind) => (rate.seconds * work[kind][end]) / (rate[kind] ?? 1));
  return { least: Math.min(...scaled("least")), most: Math.max(...scaled("most")) };
}
