import { color } from "./palette.ts";

/** Steps of strength on each side of the middle. */
export const levelSteps = 8;

/** Opacity of the strongest step: under numbers, where ink must stay readable on it, and in cells that hold none. */
export const strongest = { numbers: 0.48, plain: 0.92 } as const;

/** A signed strength from −1 to 1 as a step from −8 to 8; 0 is the middle. Anything above nothing gets the first step. */
export function levelOf(strength: number): number {
  const size = Math.min(levelSteps, Math.ceil(Math.abs(strength) * levelSteps - 1e-9));
  return size === 0 ? 0 : Math.sign(strength) * size;
}

/** Blue above the middle, orange below it, over the surface: so one drawing serves light and dark. */
export function levelFill(level: number, most: number): { fill: string; fillOpacity: number } {
  const opacity = (Math.abs(level) / levelSteps) * most;
  return { fill: level < 0 ? color.orange : color.blue, fillOpacity: Math.round(opacity * 1000) / 1000 };
}
