import { color } from "./palette.ts";
import { fitText, round, svgText } from "./svg-text.ts";

export interface EndLabel {
  text: string;
  /** Where the line that is named ends, in pixels. */
  y: number;
  fill: string;
  weight?: 400 | 600;
}

/** Moves positions as little as needed so that neighbours are `gap` apart and all lie in [low, high]. */
export function spread(positions: number[], gap: number, low: number, high: number): number[] {
  const order = positions
    .map((_, index) => index)
    .sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0) || a - b);
  const placed = order.map((index) => positions[index] ?? 0);
  // Relax pairs towards each other's middle, then clamp from both ends.
  for (let pass = 0; pass < 60; pass += 1) {
    for (let i = 1; i < placed.length; i += 1) {
      const overlap = gap - ((placed[i] ?? 0) - (placed[i - 1] ?? 0));
      if (overlap > 0) {
        placed[i - 1] = (placed[i - 1] ?? 0) - overlap / 2;
        placed[i] = (placed[i] ?? 0) + overlap / 2;
      }
    }
  }
  for (let i = placed.length - 1, limit = high; i >= 0; i -= 1, limit -= gap)
    placed[i] = Math.min(placed[i] ?? 0, limit);
  for (let i = 0, limit = low; i < placed.length; i += 1) {
    placed[i] = Math.max(placed[i] ?? 0, limit);
    limit = (placed[i] ?? 0) + gap;
  }
  const result: number[] = [];
  order.forEach((index, rank) => (result[index] = placed[rank] ?? 0));
  return result;
}

/** Names at the right end of lines, in the colour of the line, with a thin leader: no legend to look up. */
export function endLabels(
  labels: EndLabel[],
  at: { x: number; width: number; low: number; high: number },
): string {
  const size = 11;
  const places = spread(
    labels.map((label) => label.y),
    14,
    at.low,
    at.high,
  );
  return labels
    .map(({ text, y, fill, weight }, index) => {
      const place = places[index] ?? y;
      const leader = `<path d="M${round(at.x + 5)},${round(y)}L${round(at.x + 16)},${round(place)}" stroke="${fill}" stroke-opacity="0.6" fill="none"/>`;
      const shown = fitText(text, at.width - 20, size, weight);
      return leader + svgText(shown, at.x + 20, place + 4, { size, fill, weight: weight ?? 400 });
    })
    .join("");
}

/** The title of an axis: at the top left for y, below the middle for x. */
export function axisTitle(text: string, x: number, y: number, anchor: "start" | "middle" = "start"): string {
  return svgText(text, x, y, { size: 11, fill: color.muted, anchor });
}
