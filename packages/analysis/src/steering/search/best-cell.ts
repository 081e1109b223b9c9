import { doesAsMuch } from "../twins/does-as-much.ts";

/**
 * Place of the cell that gains most: of those that gain as much but for rounding the gentlest, then the first. The direction and its twins choose by it
 * alike. Undefined when no gain is defined.
 */
export function bestCell(
  cells: readonly { scale: number }[],
  gains: readonly (number | undefined)[],
  rounding?: number,
): number | undefined {
  const defined = gains.filter((gain) => gain !== undefined);
  const most = Math.max(...defined);
  const [best] = [...cells.keys()]
    .filter((place) => gains[place] !== undefined && doesAsMuch(gains[place], most, rounding))
    .sort((a, b) => Math.abs(cells[a]!.scale) - Math.abs(cells[b]!.scale) || a - b);
  return best;
}
