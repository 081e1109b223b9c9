import type { ModelConfig } from "../model-config.ts";
import type { WireSteeringVector } from "./steering-schema.ts";

/** What a server that misbehaves on demand lets pass where requests are checked. */
type LetPass =
  | "doubled-bos"
  | "dropped-with-n"
  | "first-prompt-only"
  | "stream-drops-capture"
  | "unknown-layers-dropped"
  | "wrong-width-accepted";

/** Asked before a request is refused. */
export interface Leniency {
  has(name: LetPass): boolean;
}

/** Lets nothing pass. */
export const strict: Leniency = { has: () => false };

/** A text's tokens as a server with a doubled BOS has them: with a second one where they begin with one. */
export function doubleBos(
  tokens: readonly number[],
  { bosTokenId }: ModelConfig,
  quirks: Leniency,
): readonly number[] {
  return quirks.has("doubled-bos") && tokens[0] === bosTokenId ? [tokens[0], ...tokens] : tokens;
}

/** What a server is left with that takes vectors of a wrong width: those that fit, and the captured layers that no other names. */
export function dropWrongWidth(
  vectors: readonly WireSteeringVector[],
  layers: readonly number[],
  hiddenSize: number,
): { vectors: WireSteeringVector[]; layers: number[] } {
  const fits = ({ activations: { shape } }: WireSteeringVector) => shape.at(-1) === hiddenSize;
  const broken = new Set(vectors.filter((vector) => !fits(vector)).flatMap((vector) => vector.layer_indices));
  return { vectors: vectors.filter(fits), layers: layers.filter((layer) => !broken.has(layer)) };
}
