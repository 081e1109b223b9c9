import type { Estimate, SteeringEvaluation } from "@residua/analysis";
import { percent } from "./numbers.ts";
import { alignColumns } from "./output.ts";

/** The dose curve as a table: what each scale turns, what it leaves an answer, what it costs, what random twins turn. */
export function steeringTable({ layer, choices, scales, twins }: SteeringEvaluation): string {
  const [first, second] = (choices ?? ["first", "second"]).map((choice) => choice.trim());
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

/** What each scale moves beside its controls, and what it costs: net target shift, KL, entropy, loops, damage. */
export function steeringCosts({ target, scales, twins, n }: SteeringEvaluation): string {
  const name = target?.tokens.map((token) => token.trim()).join("/") ?? "target";
  const header = [
    `log p(${name}) less controls`,
    "KL of neutral text",
    "entropy",
    "loops",
    "twins as strong",
  ];
  const rows = scales.map(({ scale, target: moved, neutral, loops }) => [
    `scale ${scale}`,
    moved ? nats(moved.net, n) : "–",
    neutral ? `${neutral.lowerBound ? "≥ " : ""}${digits(neutral.kl)}` : "–",
    neutral ? digits(neutral.entropyChange) : "–",
    loops ? shown(loops.looping) : "–",
    twinsAsStrong(twins.find((entry) => entry.scale === scale)),
  ]);
  return alignColumns([["", ...header], ...rows]);
}

function twinsAsStrong(twin: SteeringEvaluation["twins"][number] | undefined): string {
  const [first] = twin?.comparisons ?? [];
  return first ? `${first.asLarge} of ${first.twins.n ?? 0}` : "–";
}

/** With the number of prompts where not all have it. */
function nats(estimate: Estimate, all: number): string {
  const { value, low, high, n = 0 } = estimate;
  if (value === null || low === null || high === null) return digits(estimate);
  return `${value.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]${n < all ? `, ${n} of ${all}` : ""}`;
}

function digits({ value }: Estimate): string {
  return value === null ? "–" : value.toFixed(3);
}

/** An estimate as a share of its own, without its interval: `98.7 %`. */
export function shown({ value }: Pick<Estimate, "value">): string {
  return value === null ? "–" : percent(value);
}
