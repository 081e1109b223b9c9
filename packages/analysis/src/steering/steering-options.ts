import type { Direction } from "../probes/direction.ts";
import { ProbeError } from "../probes/probe-error.ts";

/** A prompt whose next token is an answer. */
export interface SteeringPrompt {
  prompt: string | number[];
  /** Prompts that share something (a city, a template) share a group; whole groups are redrawn for intervals. */
  group?: string;
  /** Index of the choice that the model should give at scale 0. Prompts that it answers otherwise take no part in the flips. */
  from: 0 | 1;
}

export interface SteeringOptions {
  model?: string;
  direction: Pick<Direction, "layer" | "vector" | "method">;
  prompts: readonly SteeringPrompt[];
  /** The two answers, as token texts. */
  choices: readonly [string, string];
  /** Multiples of the direction; negative ones subtract it. */
  scales: readonly number[];
  /** Random directions of equal norm (default 20; 0 for none). */
  twins?: number;
  /** Where the twins are tried (default: every scale but 0). */
  twinScales?: readonly number[];
  /** How many prompts each twin is tried on (default all), spread evenly over the list. */
  twinPrompts?: number;
  /** Texts that have nothing to do with the choices; their perplexity tells what steering damages. */
  neutral?: readonly string[];
  /** Extra runs of the baseline that measure its noise (default 1). */
  baselineRepeats?: number;
  seed?: number;
  /** Bootstrap draws of an interval (default 1000). */
  draws?: number;
  /** Requests in flight (default 4). */
  concurrency?: number;
  signal?: AbortSignal;
  onProgress?: (progress: { done: number; total: number }) => void;
}

export type SteeringSettings = Required<Omit<SteeringOptions, "model" | "signal" | "onProgress">> &
  Pick<SteeringOptions, "model" | "signal" | "onProgress">;

/** Fills in defaults; fails with `bad_option` on what allows no experiment. */
export function steeringSettings(options: SteeringOptions): SteeringSettings {
  const scales = [...new Set(options.scales)].sort((a, b) => a - b);
  const settings = {
    twins: 20,
    twinScales: scales.filter((scale) => scale !== 0),
    twinPrompts: options.prompts.length,
    neutral: [],
    baselineRepeats: 1,
    seed: 0,
    draws: 1000,
    concurrency: 4,
    ...options,
    scales,
  };
  const [first, second] = settings.choices;
  refuse(
    first.trim() === second.trim() || !first.trim() || !second.trim(),
    `choices are ${JSON.stringify(settings.choices)}: give two different words.`,
  );
  refuse(settings.prompts.length === 0, "there are no prompts: give at least one.");
  refuse(
    scales.length === 0 || scales.some((scale) => !Number.isFinite(scale)),
    `scales are ${scales.join(", ") || "none"}: give finite numbers.`,
  );
  refuse(
    settings.twinScales.some((scale) => !Number.isFinite(scale)),
    "twinScales must be finite numbers.",
  );
  refuse(
    settings.direction.vector.every((value) => value === 0),
    "the direction is zero, so no scale changes anything.",
  );
  for (const name of ["twins", "twinPrompts", "baselineRepeats", "draws", "concurrency"] as const) {
    const least = name === "concurrency" || name === "twinPrompts" || name === "baselineRepeats" ? 1 : 0;
    refuse(
      !Number.isInteger(settings[name]) || settings[name] < least,
      `${name} is ${settings[name]}: give a whole number of at least ${least}.`,
    );
  }
  return settings;
}

function refuse(fault: boolean, message: string): void {
  if (fault) throw new ProbeError("bad_option", `evaluateSteering: ${message}`);
}
