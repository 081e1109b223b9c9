import { spelledTokens, spelling, type SteeringAnswer } from "./steering-answer.ts";
import { logSumExp } from "./neutral/token-distribution.ts";

/** How the control tokens of a target are chosen. */
export interface TargetRule {
  /** Tokens whose probabilities add up to the target's. */
  targets: readonly string[];
  /** Tokens that are no controls, though no target either: the other choice. */
  aside: readonly string[];
  /** Controls at most. */
  controls: number;
  /** Farthest from the target's log probability at scale 0, in nats. */
  gap: number;
}

/** One prompt; undefined is what cannot be told. */
export interface PromptTargetShift {
  shift?: number;
  controls?: number;
  net?: number;
  /** Mean distance between controls and target at scale 0. */
  gap?: number;
  /** A token of the target or a control is among the likeliest at one scale alone, and the least of them stands in for it at the other. */
  bounded: boolean;
}

/** Log probabilities that are nearer than this are told apart by float32 alone. */
export const natsRounding = 1e-5;

/** Fewer control tokens than this say nothing of the others. */
const fewestControls = 2;

/**
 * log p(target) now − before, and what the same would be if the target moved as other tokens do: a temperature moves log p in proportion to log p, so
 * the control tokens' mean is carried to the target's own log probability along the line of the others (`commonSlope`). What is sharper or flatter
 * as a whole then has a net of 0, on whichever side the controls lie. Which tokens are the target's is read off `before`; those that are
 * named neither before nor now are left out of the sum. Source: the temperature confound of steering shifts, tested on planted logits in this package.
 */
export function promptTargetShift(
  now: SteeringAnswer,
  before: SteeringAnswer,
  rule: TargetRule,
): PromptTargetShift {
  const tokens = spelledTokens(before, rule.targets);
  const named = tokens.filter((token) => before.top.has(token));
  if (named.length === 0 || now.top.size === 0) return { bounded: false };
  const [leastBefore, leastNow] = [before, now].map(({ top }) => Math.min(...top.values())) as [
    number,
    number,
  ];
  const seen = tokens.filter((token) => before.top.has(token) || now.top.has(token));
  const own = seen.map((token) => before.top.get(token) ?? leastBefore);
  const shift = logSumExp(seen.map((token) => now.top.get(token) ?? leastNow)) - logSumExp(own);
  const base = logSumExp(named.map((token) => before.top.get(token)!));
  const others = otherTokens(before, rule);
  const controls = controlTokens(others, base, rule);
  let bounded = seen.some((token) => !before.top.has(token) || !now.top.has(token));
  if (controls.length < fewestControls) return { shift, bounded };
  bounded ||= controls.some(([token]) => !now.top.has(token));
  const over = (of: (control: Entry) => number) =>
    controls.reduce((sum, control) => sum + of(control), 0) / controls.length;
  const moved = over(([token, logprob]) => (now.top.get(token) ?? leastNow) - logprob);
  const middle = over(([, logprob]) => logprob);
  const slope = commonSlope(others, now);
  const expected = own.map((logprob) => logprob + moved + slope * (logprob - middle));
  const mean = logSumExp(expected) - logSumExp(own);
  const gap = over(([, logprob]) => Math.abs(logprob - base));
  return { shift, controls: mean, net: shift - mean, gap, bounded };
}

type Entry = [token: string, logprob: number];

/** The likeliest tokens at scale 0 that spell neither a target nor the other choice. */
function otherTokens(before: SteeringAnswer, rule: TargetRule): Entry[] {
  const spelled = new Set([...rule.targets, ...rule.aside].map(spelling));
  return [...before.top].filter(([token]) => !spelled.has(spelling(token)));
}

/**
 * By how much more a token moves that was likelier by 1 nat: the median over pairs of tokens named both before and now (Theil and Sen), which a few
 * tokens that move for reasons of their own do not bend; 1/T − 1 of a temperature. 0 where no two tokens differ in log probability.
 */
function commonSlope(others: readonly Entry[], now: SteeringAnswer): number {
  const known = others.filter(([token]) => now.top.has(token));
  const slopes: number[] = [];
  known.forEach(([one, x], i) => {
    for (const [other, y] of known.slice(i + 1)) {
      if (Math.abs(x - y) <= natsRounding) continue;
      slopes.push((now.top.get(one)! - now.top.get(other)!) / (x - y) - 1);
    }
  });
  if (slopes.length === 0) return 0;
  slopes.sort((a, b) => a - b);
  const half = slopes.length / 2;
  return (slopes[Math.ceil(half) - 1]! + slopes[Math.floor(half)]!) / 2;
}

/** The nearest of them in log probability at scale 0. */
function controlTokens(others: readonly Entry[], base: number, rule: TargetRule): Entry[] {
  const distance = ([, logprob]: Entry) => Math.abs(logprob - base);
  return others
    .filter((entry) => distance(entry) <= rule.gap)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, rule.controls);
}
