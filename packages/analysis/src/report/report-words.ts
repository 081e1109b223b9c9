import { choiceNames } from "../plots/choice-names.ts";
import {
  chanceScore,
  decimals,
  estimateText,
  percent,
  probeText,
  scaleText,
  scoreText,
  signed,
} from "../plots/plot-format.ts";
import { intervalLine, isAbove, type Finding, type Verdict } from "./finding.ts";
import type { ReportInput } from "./report-schema.ts";
import type { SteeredScale, SteeredTwins, SteeringEvaluation } from "../results/steering-evaluation.ts";

interface Side {
  /** The answer that prompts are turned to, and the one that they gave. */
  to: string;
  from: string;
  key: "toFirst" | "toSecond";
  steered: SteeredScale;
  twins: SteeredTwins | undefined;
}

const auroc = decimals(3);

/** Share of answers that must still be one of the choices, and the most that perplexity may grow, to call a scale harmless. */
export const harmless = { valid: 0.95, perplexityRatio: 1.5 };

/**
 * The scale that turns most answers to one side, among scales with enough valid answers where there are any; the gentlest on
 * ties. It is picked after looking, which flatters: the report says so.
 */
export function strongestSide(evaluation: SteeringEvaluation, key: "toFirst" | "toSecond"): Side | undefined {
  const measured = evaluation.scales.filter((entry) => entry.scale !== 0 && entry[key].value !== null);
  const valid = measured.filter((entry) => (entry.valid.value ?? 0) >= harmless.valid);
  const steered = (valid.length > 0 ? valid : measured).reduce<SteeredScale | undefined>((best, entry) => {
    const gain = (entry[key].value ?? 0) - (best?.[key].value ?? -1);
    const gentler = gain === 0 && Math.abs(entry.scale) < Math.abs(best?.scale ?? 0);
    return gain > 0 || gentler ? entry : best;
  }, undefined);
  if (steered === undefined) return undefined;
  const [first, second] = choiceNames(evaluation);
  return {
    to: key === "toFirst" ? first : second,
    from: key === "toFirst" ? second : first,
    key,
    steered,
    twins: evaluation.twins.find(({ scale }) => scale === steered.scale),
  };
}

function readingVerdict({ sweep }: ReportInput): Verdict {
  const { chosen } = sweep;
  const controls = sweep.layers.find(({ layer }) => layer === chosen.layer)?.controls;
  const outer = chosen.outerScore;
  const shuffled = isAbove(outer, controls?.shuffledLabels) && (outer.low ?? 0) > chanceScore(sweep.score);
  const random = isAbove(outer, controls?.randomDirection);
  return {
    question: `Can “${sweep.label}” be read from the model?`,
    finding: shuffled ? (random ? "shown" : "in part") : "not shown",
    number: outer.value === null ? "–" : auroc(outer.value),
    unit: `${scoreText(sweep.score)} of ${probeText(chosen.probe)}, layer ${chosen.layer}`,
    interval: intervalLine(outer, auroc),
    control: controls
      ? `shuffled labels ${estimateText(controls.shuffledLabels, auroc)}; random directions ${estimateText(controls.randomDirection, auroc)}`
      : "no control at this layer",
  };
}

export function steeringVerdict(evaluation: SteeringEvaluation, key: "toFirst" | "toSecond"): Verdict {
  const side = strongestSide(evaluation, key);
  const [first, second] = choiceNames(evaluation);
  const question = `Does it turn answers to “${key === "toFirst" ? first : second}”?`;
  if (side === undefined) {
    return {
      question,
      finding: "not measured",
      number: "–",
      unit: "no prompts to turn",
      interval: "",
      control: "",
    };
  }
  const { steered, twins } = side;
  const share = steered[key];
  const control = twins?.[key];
  return {
    question,
    finding:
      share.low === null
        ? "not measured"
        : isAbove(share, control) && steered.verdict === undefined
          ? "shown"
          : "not shown",
    number: share.value === null ? "–" : percent(share.value),
    unit: `of answers “${side.from}” turned, scale ${scaleText(steered.scale)}`,
    interval: intervalLine(share, percent),
    control: twins
      ? `${twins.count} random directions of the same length: ${estimateText(twins[key], percent)}`
      : "no random twins at this scale",
  };
}

export function damageVerdict(evaluation: SteeringEvaluation): Verdict {
  const sides = (["toFirst", "toSecond"] as const).flatMap((key) => strongestSide(evaluation, key) ?? []);
  const question = "Is the model left intact?";
  const worst = sides.reduce<Side | undefined>(
    (most, side) =>
      (side.steered.perplexity?.ratio ?? 0) > (most?.steered.perplexity?.ratio ?? -1) ? side : most,
    undefined,
  );
  const perplexity = worst?.steered.perplexity;
  if (worst === undefined || !perplexity) {
    return {
      question,
      finding: "not measured",
      number: "–",
      unit: "no perplexity",
      interval: "",
      control: "",
    };
  }
  const validity = Math.min(...sides.map(({ steered }) => steered.valid.value ?? 0));
  const intact = validity >= harmless.valid && perplexity.ratio <= harmless.perplexityRatio;
  const least = sides.find(({ steered }) => (steered.valid.value ?? 0) === validity) ?? worst;
  return {
    question,
    finding: intact ? "shown" : "not shown",
    number: `×${signed(perplexity.ratio, 2)}`,
    unit: `perplexity of neutral text, scale ${scaleText(worst.steered.scale)}`,
    interval: `valid answers ${estimateText(least.steered.valid, percent)}, scale ${scaleText(least.steered.scale)}`,
    control: least.twins
      ? `with random directions ${estimateText(least.twins.valid, percent)} are valid, scale ${scaleText(least.twins.scale)}`
      : `no random twins at scale ${scaleText(least.steered.scale)}`,
  };
}

export function verdicts(input: ReportInput): Verdict[] {
  return [
    readingVerdict(input),
    steeringVerdict(input.steering, "toFirst"),
    steeringVerdict(input.steering, "toSecond"),
    damageVerdict(input.steering),
  ];
}

function steeringSentence(side: Side): string {
  const act = side.steered.scale > 0 ? "adding" : "subtracting";
  const twins =
    side.twins === undefined
      ? ""
      : `, against ${estimateText(side.twins[side.key], percent)} for random directions of the same length`;
  return (
    `${act} the direction at scale ${scaleText(side.steered.scale)} turns ` +
    `${estimateText(side.steered[side.key], percent)} of the answers “${side.from}” into “${side.to}”${twins}`
  );
}

/** The result in one paragraph, every number with its interval and its control. */
export function summary(input: ReportInput): string {
  const { sweep, steering, model } = input;
  const { chosen } = sweep;
  const [reading] = verdicts(input);
  const controls = sweep.layers.find(({ layer }) => layer === chosen.layer)?.controls;
  const outcome: Record<Finding, string> = {
    shown: "can be read",
    "in part":
      "can be read better than with shuffled labels, but not better than some random directions allow,",
    "not shown": "was not shown to be readable",
    "not measured": "was not measured",
    explained: "can be read, but no better than a control",
    description: "is described",
  };
  const read =
    `Inside ${model.id}, “${sweep.label}” ${outcome[reading?.finding ?? "not measured"]} from the output of layer ${chosen.layer}: ` +
    `${scoreText(sweep.score)} ${estimateText(chosen.outerScore, auroc)} on groups that the probe never saw` +
    (controls ? `, against ${estimateText(controls.shuffledLabels, auroc)} with shuffled labels.` : ".");
  const sides = (["toFirst", "toSecond"] as const).flatMap((key) => strongestSide(steering, key) ?? []);
  const turned = sides.map(steeringSentence).join("; ");
  if (turned === "") return `${read} No answer could be steered: nothing was measured on either side.`;
  return `${read} Put back into layer ${steering.layer}, the direction acts on what the model says: ${turned}.`;
}
