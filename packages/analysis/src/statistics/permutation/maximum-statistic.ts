import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import { permutationP, reaches, type PermutationP } from "./permutation-p.ts";

export interface MaximumStatistic {
  /** Of each layer alone. */
  single: PermutationP[];
  /** Of each layer, corrected for the choice among all: null where the layer's statistic is undefined. */
  adjusted: (number | null)[];
  /** Shuffles in which some layer's statistic is defined. */
  shuffles: number;
  /** The value that the largest of all layers reaches in 5 % of shuffles; null when there are too few to tell. */
  threshold: number | null;
}

/**
 * Layers corrected by the maximum statistic (Westfall and Young 1993, single step): a layer's adjusted p is (1 + shuffles whose largest
 * layer reaches its value) / (1 + shuffles). The same shuffle of labels must be used at all layers, so that what they have in common
 * is kept. `observed` holds one statistic a layer, `shuffled` one such list a shuffle; null where undefined.
 */
export function maximumStatistic(options: {
  observed: readonly (number | null)[];
  shuffled: readonly (readonly (number | null)[])[];
}): MaximumStatistic {
  const { observed, shuffled } = checkOptions(maximumSchema, options, "maximumStatistic");
  shuffled.forEach((values, shuffle) => {
    if (values.length === observed.length) return;
    throw new ProbeError(
      "bad_option",
      `Shuffle ${shuffle} has ${values.length} statistics for ${observed.length} layers: give one a layer.`,
      { shuffle },
    );
  });
  const maxima = shuffled
    .map((values) => values.filter((value) => value !== null))
    .filter((values) => values.length > 0)
    .map((values) => values.reduce((a, b) => Math.max(a, b)));
  const adjusted = observed.map((value) =>
    value === null || maxima.length === 0
      ? null
      : (1 + maxima.filter((maximum) => reaches(maximum, value)).length) / (1 + maxima.length),
  );
  return {
    single: observed.map((value, layer) =>
      permutationP({ observed: value, shuffled: shuffled.map((values) => values[layer]!) }),
    ),
    adjusted,
    shuffles: maxima.length,
    threshold: threshold(maxima),
  };
}

/** The smallest maximum above which a value has an adjusted p of at most 0.05. */
function threshold(maxima: readonly number[]): number | null {
  const exceeding = Math.floor(0.05 * (1 + maxima.length)) - 1;
  return exceeding < 0 ? null : maxima.toSorted((a, b) => b - a)[exceeding]!;
}

const statistics = z.array(z.number().nullable());
const maximumSchema = z.strictObject({ observed: statistics.min(1), shuffled: z.array(statistics) });
