import { choiceLogprob, spelling, type SteeringAnswer } from "./steering-answer.ts";
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
  /** A token left the likeliest, and the least of them stands in for it. */
  bounded: boolean;
}

/** Fewer control tokens than this say nothing of the others. */
const fewestControls = 2;

/**
 * log p(target) now − before, and the mean of the same of tokens that were as likely before. What is sharper or flatter as a whole moves both
 * alike, and the net is 0. Source: the temperature confound of steering shifts, tested on planted logits in this package.
 */
export function promptTargetShift(
  now: SteeringAnswer,
  before: SteeringAnswer,
  rule: TargetRule,
): PromptTargetShift {
  const base = targetLogprob(before, rule.targets);
  if (base === undefined || now.top.size === 0) return { bounded: false };
  const least = Math.min(...now.top.values());
  const after = targetLogprob(now, rule.targets);
  const shift = (after ?? least) - base;
  const controls = controlTokens(before, base, rule);
  let bounded = after === undefined;
  if (controls.length < fewestControls) return { shift, bounded };
  let sum = 0;
  let distance = 0;
  for (const [token, logprob] of controls) {
    const moved = now.top.get(token);
    bounded ||= moved === undefined;
    sum += (moved ?? least) - logprob;
    distance += Math.abs(logprob - base);
  }
  const mean = sum / controls.length;
  return { shift, controls: mean, net: shift - mean, gap: distance / controls.length, bounded };
}

/** The summed probability of those that are among the likeliest. */
function targetLogprob(answer: SteeringAnswer, targets: readonly string[]): number | undefined {
  const found = targets.map((token) => choiceLogprob(answer, token)).filter((value) => value !== undefined);
  return found.length > 0 ? logSumExp(found) : undefined;
}

/** The tokens nearest in log probability at scale 0, none that spells a target or the other choice. */
function controlTokens(before: SteeringAnswer, base: number, rule: TargetRule): [string, number][] {
  const spelled = new Set([...rule.targets, ...rule.aside].map(spelling));
  const distance = ([, logprob]: [string, number]) => Math.abs(logprob - base);
  return [...before.top]
    .filter((entry) => !spelled.has(spelling(entry[0])) && distance(entry) <= rule.gap)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, rule.controls);
}
