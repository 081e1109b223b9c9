import { shown } from "../arguments/shown.ts";
import { LensOptionError } from "../profiles/lens-option-error.ts";

/** A place in the depth of a model, whatever its number of layers. */
export interface LayerDepth {
  /** 0 is the first layer, 1 the last. */
  readonly depth: number;
}

/** What a list of layers may hold: a layer from 0, a fraction of the depth, a list of its own such as a range. */
export type LayerChoice = number | LayerDepth | readonly LayerChoice[];

/** Which layers a capture takes: a list, a fraction of the depth, or every layer. */
export type LayerChoices = readonly LayerChoice[] | LayerDepth | "all";

/** The longest range: more layers than any model has. */
const longestRange = 10_000;

/**
 * Layers `first` to `last`, both included, each `step`-th: `layerRange(4, 20, 2)` is 4, 6, …, 20. `last` itself is left out
 * where the steps do not meet it. Throws `invalid_option`.
 */
export function layerRange(first: number, last: number, step = 1): readonly number[] {
  const whole = [first, last, step].every((value) => Number.isSafeInteger(value));
  if (!whole || first < 0 || last < first || step < 1 || (last - first) / step >= longestRange) {
    throw new LensOptionError(
      `layerRange(${[first, last, step].map(shown).join(", ")}): allowed: a first layer from 0, a last one from there (it is included), ` +
        `a step from 1, and at most ${longestRange} layers`,
    );
  }
  const count = Math.floor((last - first) / step) + 1;
  return Object.freeze(Array.from({ length: count }, (_, i) => first + i * step));
}

/**
 * The layer at a fraction of the depth: layer round(fraction × (number of layers − 1)), a half rounded up. 0 is the first
 * layer and 1 the last. Fractions that fall on one layer, with each other or with a layer that is named, count once.
 * Throws `invalid_option`.
 */
export function depth(fraction: number): LayerDepth {
  if (typeof fraction === "number" && fraction >= 0 && fraction <= 1)
    return Object.freeze({ depth: fraction });
  throw new LensOptionError(
    `depth(${shown(fraction)}): allowed: a fraction from 0 (the first layer) to 1 (the last)`,
  );
}
