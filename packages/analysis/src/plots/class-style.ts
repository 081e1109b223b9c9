import { color } from "./palette.ts";
import { markers, type MarkerShape } from "./svg-shapes.ts";

const fills = [color.blue, color.orange, color.green, color.purple] as const;
const dashes = [undefined, "6 3", "2 3", "8 3 2 3"] as const;

export interface ClassStyle {
  fill: string;
  shape: MarkerShape;
  /** Of its lines, so that they are told apart without colour. */
  dash: string | undefined;
}

/** Colour, mark and dash of the class at a place of the list of classes: no two of the first twelve share both colour and mark. */
export function classStyle(index: number): ClassStyle {
  const fill = fills[index % fills.length] ?? color.blue;
  // One step further with each round of colours, so that the fifth class is no copy of the first.
  const shape = markers[(index + Math.floor(index / markers.length / 2)) % markers.length] ?? "circle";
  return { fill, shape, dash: dashes[index % dashes.length] };
}
