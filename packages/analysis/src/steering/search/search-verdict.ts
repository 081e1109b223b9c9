import type { SteeringSearch } from "../../results/steering-search.ts";
import { doesAsMuch } from "../twins/does-as-much.ts";

/** Above this share of twins that do as much, the winner is like any other direction. */
const rare = 0.05;

/** What a search found, in words. */
export function searchVerdict({
  cells,
  winner,
  twins,
  objective,
}: Pick<SteeringSearch, "cells" | "winner" | "twins" | "objective">): string {
  const { metric } = objective;
  if (winner === null) {
    return cells.some(({ damage }) => damage.length === 0)
      ? `nothing found: no undamaged layer and scale gains anything (${metric})`
      : "nothing found: every layer does damage at its smallest scale, so try smaller ones";
  }
  const { layer, scale, gain, measured } = winner;
  const at = `layer ${layer} at scale ${scale}`;
  if (gain.value === null)
    return `${at} was chosen, and on the other prompts its gain is undefined: ${gain.reason}`;
  if (gain.low !== null && doesAsMuch(0, gain.low))
    return `nothing shown: ${at} was chosen, and on prompts that did not choose it the interval of its gain holds 0 (${metric})`;
  const damaged =
    measured.damage.length > 0 ? `; on these prompts it does damage: ${measured.damage.join(", ")}` : "";
  if (twins === null || twins.p === null)
    return `${at} gains (${metric}); no random twins were tried, so nothing says that another direction would not${damaged}`;
  const count = twins.twins.n ?? 0;
  const others = `${twins.asLarge} of ${count} random twins that searched the same cells gain as much`;
  if (twins.p <= rare) return `${at} beats its random twins (${metric}): ${others}${damaged}`;
  return twins.asLarge === 0
    ? `undecided: ${at} was chosen (${metric}), and ${others}, but ${count} twins are too few to tell: at least ${1 / rare - 1} are needed${damaged}`
    : `nothing beats the random twins: ${at} was chosen (${metric}), and ${others} (p = ${twins.p.toFixed(3)})${damaged}`;
}
