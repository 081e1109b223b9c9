import { plantedLens } from "./planted-lens.ts";

/** Token texts; the first two are the choices. */
const vocabulary = [" true", " false", " perhaps", " maybe", " both", " never"];

/**
 * A model whose next-token logits are a base of its prompt plus `readout` times the sum of scale × vector, so that every effect
 * of steering is known in closed form. A prompt is `"truth D"`: log p(true) − log p(false) = D unsteered; any other text is neutral.
 */
export function linearLens(options: { readout: number[][]; jitter?: (call: number) => number }) {
  const lens = plantedLens({
    vocabulary,
    logits(prompt, dose) {
      const logits = vocabulary.map((_, token) => base(prompt, token) + dot(options.readout[token]!, dose));
      logits[0]! += options.jitter?.(lens.calls.length) ?? 0;
      return logits;
    },
  });
  return lens;
}

function base(prompt: string, token: number): number {
  const found = /^truth (-?[\d.]+)$/.exec(prompt);
  if (!found) return 0;
  const difference = Number(found[1]);
  return [5 + difference / 2, 5 - difference / 2, 4, 3, -2, -3][token]!;
}

function dot(readout: readonly number[], dose: readonly number[]): number {
  return dose.reduce((sum, value, j) => sum + value * readout[j]!, 0);
}
