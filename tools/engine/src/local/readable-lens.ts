import { ResiduaError } from "@residua/client";
import type { LogitLens } from "@residua/lens";
import type { Model } from "../model.ts";
import { anyRule, checkOptions } from "../check-options.ts";
import type { LensRows } from "./lens-rows.ts";
import { readPosition } from "./read-position.ts";

/** As LogitLens has them. */
export type LensNumbers = Pick<LogitLens, "topIds" | "topLogprobs" | "entropy" | "kl">;

/** The numbers with what they are of, and a reader of one place. */
export function readableLens(
  { tokenizer }: Model,
  parts: {
    id: string;
    rows: LensRows;
    positions: readonly number[];
    top: number;
    numbers: LensNumbers;
  },
): LogitLens {
  const { id, rows, positions, top, numbers } = parts;
  const { layers } = rows;
  const tokens = positions.map((position) => rows.tokens[position]!);
  return Object.freeze<LogitLens>({
    model: id,
    layers: Object.freeze([...layers]),
    positions: Object.freeze([...positions]),
    tokens: Object.freeze(tokens),
    top,
    ...numbers,
    at(place) {
      const { layer, position } = checkOptions(place, { layer: anyRule, position: anyRule }, "place");
      const l = layers.indexOf(layer);
      if (l < 0) {
        throw new ResiduaError("layer_not_captured", `layer ${layer} asked; read: ${layers.join(", ")}`, {
          layer,
          layers,
        });
      }
      const absolute = readPosition(position, rows.positions);
      const p = positions.indexOf(absolute);
      if (p < 0) {
        throw new ResiduaError(
          "position_out_of_range",
          `position ${absolute} asked; read: ${positions.join(", ")}`,
          { position: absolute, positions },
        );
      }
      const at = l * positions.length + p;
      return {
        layer,
        position: absolute,
        token: tokens[p]!,
        top: Array.from({ length: top }, (_, rank) => {
          const token = numbers.topIds[at * top + rank]!;
          const logprob = numbers.topLogprobs[at * top + rank]!;
          return { id: token, text: tokenizer.decode([token]), logprob };
        }),
        entropy: numbers.entropy[at]!,
        kl: numbers.kl[at]!,
      };
    },
  });
}
