import type { Estimate, SteeringEvaluation } from "@residua/analysis";
import { percent } from "./numbers.ts";
import { alignColumns } from "./output.ts";

/** The dose curve as a table: what each scale turns, what it leaves an answer, what it costs, what random twins turn. */
export function steeringTable({ layer, choices, scales, twins }: SteeringEvaluation): string {
  const [first, second] = choices.map((choice) => choice.trim());
  const header = [
    `steering at layer ${layer}`,
    `${second} → ${first}`,
    `${first} → ${second}`,
    "valid",
    "perplexity",
    "random twins turn",
  ];
  const rows = scales.map(({ scale, toFirst, toSecond, valid, perplexity }) => {
    const twin = twins.find((entry) => entry.scale === scale);
    return [
      `scale ${scale}`,
      shown(toFirst),
      shown(toSecond),
      shown(valid),
      perplexity ? `× ${perplexity.ratio.toFixed(2)}` : "–",
      twin ? shown(twin.flipped) : "–",
    ];
  });
  return alignColumns([header, ...rows]);
}

/** An estimate as a share of its own, without its interval: `98.7 %`. */
export function shown({ value }: Pick<Estimate, "value">): string {
  return value === null ? "–" : percent(value);
}
