import { chanceScore, decimals, estimateText, scoreText } from "../plots/plot-format.ts";
import type { Estimate } from "../results/estimate.ts";
import { fewestGroups, ofTooFew } from "../statistics/intervals/cluster-bootstrap.ts";
import type { LayerSweep, SweepPermutation, SweepVerdict } from "../results/layer-sweep.ts";

/** What a verdict is read from. */
export type VerdictSource = Pick<
  LayerSweep,
  "score" | "layers" | "chosen" | "controls" | "tokenFilter" | "group"
>;

const digits = decimals(3);
/** The most that a p value may be, over all layers, to call a score better than chance. */
const level = 0.05;

/** In words, whether a control explains the score of a sweep; when none does, what is shown and what is not. */
export function sweepVerdict(sweep: VerdictSource): SweepVerdict {
  const { chosen } = sweep;
  const score = chosen.outerScore;
  const name = scoreText(sweep.score);
  if (score.value === null)
    return {
      finding: "undefined",
      text: `The score is not defined: ${score.reason ?? "no reason is known"}.`,
    };
  const text = `${name} ${estimateText(score, digits)} on ${sweep.group}s outside training`;
  const least = chanceScore(sweep.score);
  if (chosen.outerScore.high !== null && chosen.outerScore.high < least && score.value < least)
    return { finding: "not shown", text: belowText(sweep, text) };
  const chance = chanceReasons(sweep);
  if (chance.length > 0)
    return {
      finding: "not shown",
      text: `Not shown: ${text} is not told apart from chance (${chance.join("; ")}).`,
    };
  const explained = explanations(sweep);
  if (explained.length > 0) {
    return {
      finding: "explained",
      text:
        `A control explains the score: ${text} is not told apart from ${explained.join(", nor from ")}. ` +
        "The label may be read from that, and nothing here says that the layer holds more.",
    };
  }
  return { finding: "shown", text: `${shownText(sweep, text)} ${notShownText(sweep)}` };
}

/** Scores without anything to find that reach the score. */
function chanceReasons({ chosen, controls, score }: VerdictSource): string[] {
  const { correctedP, shuffles } = chosen.permutation;
  const { low, reason } = chosen.outerScore;
  const chance = chanceScore(score);
  const reasons: string[] = [];
  if (correctedP !== null && correctedP > level && !tooFewShuffles(chosen.permutation))
    reasons.push(`p = ${digits(correctedP)} over all layers, of ${shuffles} label shuffles`);
  if (ofTooFew(chosen.outerScore))
    reasons.push(
      `fewer than ${fewestGroups} groups that agree are luck too often, and there are ${chosen.outerScore.groups}`,
    );
  if (low === null) reasons.push(`it has no interval: ${reason ?? "no reason is known"}`);
  else if (low <= chance) reasons.push(`its interval reaches ${chance}`);
  if (reaches(controls.randomFeatures.gain))
    reasons.push(`random features score ${estimateText(controls.randomFeatures.score, digits)}`);
  return reasons;
}

/** No shuffle reaches the score, and one more than all of them is not enough for a small p: they tell nothing either way. */
function tooFewShuffles({ correctedP, shuffles }: SweepPermutation): boolean {
  const least = 1 / (1 + shuffles);
  return correctedP !== null && least > level && correctedP <= least;
}

/** Told apart from chance, but downwards: what was learned of the training rows is wrong of the others. */
function belowText({ score, group }: VerdictSource, text: string): string {
  const chance = chanceScore(score);
  if (score === "r2") return `Not shown: ${text} is worse than a guess of the mean, ${chance}.`;
  return (
    `Not shown: ${text} lies below chance, ${chance}: held-out rows are told apart the wrong way round. ` +
    `That is so where rows of one ${group} share more than they do with others of their class (pairs of statements, say), ` +
    "and a probe learns what they share; it says nothing of the label."
  );
}

function explanations({ chosen, controls, layers, tokenFilter, score }: VerdictSource): string[] {
  const at = layers.find(({ layer }) => layer === chosen.layer);
  const found: string[] = [];
  const add = (what: string, rival: Estimate, gain: Estimate) => {
    if (reaches(gain))
      found.push(`${what}, ${estimateText(rival, digits)} (gain ${estimateText(gain, digits)})`);
  };
  add("the prompt's length alone", controls.promptLength.score, controls.promptLength.gain);
  add("a bag of its tokens", controls.bagOfTokens.score, controls.bagOfTokens.gain);
  add(`layer ${controls.floor.layer}`, controls.floor.score, controls.floor.gain);
  if (at) add("labels learned by heart, token by token", at.controls.controlTask, at.controls.selectivity);
  const without = tokenFilter?.without;
  if (without && without.low !== null && without.low <= chanceScore(score))
    found.push(
      `chance once the rows whose tokens state the answer are left out, ${estimateText(without, digits)}`,
    );
  return found;
}

/** An interval of gains that holds none. */
function reaches(gain: Estimate): boolean {
  return gain.low !== null && gain.low <= 0;
}

function shownText({ chosen, controls, layers }: VerdictSource, text: string): string {
  const at = layers.find(({ layer }) => layer === chosen.layer);
  const beaten: [string, Estimate][] = [
    ["the prompt's length", controls.promptLength.gain],
    ["a bag of tokens", controls.bagOfTokens.gain],
    [`layer ${controls.floor.layer}`, controls.floor.gain],
    ["random features", controls.randomFeatures.gain],
    ...(at ? [["the control task", at.controls.selectivity] as [string, Estimate]] : []),
  ];
  const told = beaten.flatMap(([what, gain]) =>
    gain.value === null || gain.low === null ? [] : [`${what} by ${estimateText(gain, digits)}`],
  );
  const { correctedP } = chosen.permutation;
  const p =
    correctedP === null || tooFewShuffles(chosen.permutation)
      ? ""
      : `, p = ${digits(correctedP)} over all layers`;
  const above = told.length > 0 ? `, above ${told.join(", ")}` : "";
  return `Shown: the label can be read at layer ${chosen.layer}: ${text}${p}${above}.`;
}

function notShownText({ controls, layers, chosen, tokenFilter }: VerdictSource): string {
  const at = layers.find(({ layer }) => layer === chosen.layer);
  const rivals: [string, Estimate | undefined][] = [
    ["prompt length", controls.promptLength.gain],
    ["bag of tokens", controls.bagOfTokens.gain],
    ["lowest layer", controls.floor.gain],
    ["random features", controls.randomFeatures.gain],
    ["control task", at?.controls.selectivity],
    ["token filter", tokenFilter?.without],
  ];
  const untried = rivals.flatMap(([what, gain]) =>
    gain && gain.low === null ? [`${what} (${gain.reason ?? "not defined"})`] : [],
  );
  const { permutation } = chosen;
  if (permutation.correctedP === null)
    untried.push(`label shuffles (${permutation.reason ?? "none was defined"})`);
  else if (tooFewShuffles(permutation))
    untried.push(
      `label shuffles (${permutation.shuffles} allow no p below ${digits(permutation.correctedP)}: ${Math.ceil(1 / level) - 1} are the fewest that can tell)`,
    );
  const not = "Not shown: that the model uses it; only an intervention (steering, ablation) can show that.";
  return untried.length > 0 ? `${not} Not tried: ${untried.join("; ")}.` : not;
}
