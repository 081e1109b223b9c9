import type { ReportInput } from "../../src/report/report-schema.ts";
import type { Estimate } from "../../src/results/estimate.ts";
import type { LayerSweep } from "../../src/results/layer-sweep.ts";
import type { SteeringEvaluation } from "../../src/results/steering-evaluation.ts";

/** Results in the shape that the sweep and the steering evaluation give, with made-up but plausible numbers. */
function estimate(value: number, low: number, high: number, n: number, groups?: number): Estimate {
  const clamp = (x: number): number => Math.round(1e4 * x) / 1e4 + 0;
  const bounds = { value: clamp(value), low: clamp(low), high: clamp(high), n };
  return groups === undefined ? bounds : { ...bounds, groups };
}

const share = (value: number, width: number, n: number, groups?: number): Estimate =>
  estimate(value, Math.max(0, value - width), Math.min(1, value + width), n, groups);

const means = [0.561, 0.872, 0.991, 0.9981, 0.9962, 0.989];
const logistic = [0.583, 0.905, 0.9964, 0.9991, 0.9983, 0.995];
const width = [0.06, 0.035, 0.006, 0.002, 0.003, 0.006];
const shuffled = [0.497, 0.508, 0.494, 0.503, 0.5, 0.491];
const random = [0.51, 0.53, 0.55, 0.57, 0.56, 0.55];

const rival = (value: number, how: string) => ({
  score: share(value, 0.07, 240, 40),
  gain: share(0.9988 - value, 0.07, 240, 40),
  how,
});

export function sampleSweep(): LayerSweep {
  return {
    schemaVersion: 2,
    kind: "layer-sweep",
    label: "truth",
    task: "binary",
    score: "auroc",
    positive: true,
    classes: null,
    counts: [120, 120],
    group: "city",
    split:
      "5 outer folds by city, 4 inner folds; pairs of rows of one outer fold; 95% percentile interval over cities",
    folds: 5,
    seed: 7,
    random: "xoshiro128**",
    draws: 2000,
    shuffles: 20,
    randomDirections: 50,
    n: 240,
    groups: 40,
    layers: means.map((value, layer) => ({
      layer,
      probes: [
        {
          probe: "difference-of-means",
          score: share(value, width[layer] ?? 0, 240, 40),
          metrics: { accuracy: share(value - 0.02, 0.03, 240, 40) },
          converged: true,
        },
        {
          probe: "logistic",
          C: 0.1,
          perFoldC: [0.1, 0.1, 1, 0.1, 0.1],
          score: share(logistic[layer] ?? 0, width[layer] ?? 0, 240, 40),
          metrics: { accuracy: share((logistic[layer] ?? 0) - 0.015, 0.02, 240, 40) },
          converged: true,
        },
      ],
      controls: {
        shuffledLabels: share(shuffled[layer] ?? 0, 0.0877, 20),
        randomDirection: share(random[layer] ?? 0, 0.2011, 50),
        controlTask: share(0.52, 0.04, 5),
        selectivity: share((logistic[layer] ?? 0) - 0.52, 0.05, 240, 40),
      },
      permutation: { p: 0.0476, correctedP: 0.0476, shuffles: 20 },
    })),
    chosen: {
      layer: 3,
      probe: "logistic",
      C: 0.1,
      chosenBy: "inner folds",
      innerScore: 0.9993,
      outerScore: estimate(0.9988, 0.9961, 0.9999, 240, 40),
      metrics: { accuracy: share(0.984, 0.02, 240, 40) },
      permutation: { p: 0.0476, correctedP: 0.0476, shuffles: 20 },
      smallestDifference: { value: 0.0038 },
      perFoldChoices: [3, 3, 2, 3, 3].map((layer) => ({
        layer,
        probe: "logistic",
        C: 0.1,
        innerScore: 0.9993,
      })),
    },
    controls: {
      promptLength: rival(0.51, "tokens read (those of the prompt) and their square"),
      bagOfTokens: rival(0.49, "counts of the tokens read (212 ids)"),
      floor: { layer: 0, ...rival(0.583, "output of the first block (layer 0)") },
      randomFeatures: rival(0.5, "5 draws of 128 Gaussian numbers a row, the chosen probe at its C"),
    },
    verdict: { finding: "shown", text: "Shown: the label can be read at layer 3." },
    notes: ["Intervals are over cities, not over new training runs of the model."],
  };
}

const scales = [-3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3];
const dose = (scale: number): number => (scale <= 0 ? 0 : 1 / (1 + Math.exp(-5 * (scale - 1))));

export function sampleSteering(): SteeringEvaluation {
  return {
    schemaVersion: 1,
    kind: "steering-evaluation",
    model: "residua/tiny",
    layer: 3,
    layers: [{ layer: 3, norm: 4.217 }],
    directionNorm: 4.217,
    directionMethod: "difference of means: mean of positives − mean of negatives",
    choices: [" true", " false"],
    target: { tokens: [" true"], controls: 5, controlGap: 1 },
    seed: 11,
    random: "xoshiro128**",
    draws: 2000,
    n: 80,
    groups: 40,
    baseline: { asExpected: share(0.9875, 0.0125, 80, 40), perplexity: 6.31, entropy: 1.42 },
    scales: scales.map((scale) => ({
      scale,
      toFirst: share(0.991 * dose(scale), 0.06 * dose(scale), 40, 40),
      toSecond: share(0.983 * dose(-scale), 0.06 * dose(-scale), 40, 40),
      valid: share(Math.abs(scale) > 2 ? 0.9125 : 0.9875, 0.0125, 80, 40),
      shift: estimate(5.1 * scale, 5.1 * scale - 0.4, 5.1 * scale + 0.4, 80, 40),
      controlShift: estimate(0.2 * scale, 0.2 * scale - 0.3, 0.2 * scale + 0.3, 80, 40),
      target: {
        shift: estimate(2.6 * scale, 2.6 * scale - 0.3, 2.6 * scale + 0.3, 80, 40),
        controls: estimate(0.1 * scale, 0.1 * scale - 0.2, 0.1 * scale + 0.2, 76, 40),
        net: estimate(2.5 * scale, 2.5 * scale - 0.3, 2.5 * scale + 0.3, 76, 40),
        gap: 0.41,
        bounded: 0,
      },
      perplexity: {
        value: 6.31 * (1 + 0.05 * scale ** 2),
        ratio: 1 + 0.05 * scale ** 2,
        ratioLow: 1 + 0.04 * scale ** 2,
        ratioHigh: 1 + 0.06 * scale ** 2,
        tokens: 512,
      },
      neutral: {
        kl: estimate(0.02 * scale ** 2, 0.015 * scale ** 2, 0.025 * scale ** 2, 512, 40),
        reverseKl: estimate(0.02 * scale ** 2, 0.015 * scale ** 2, 0.025 * scale ** 2, 512, 40),
        entropyChange: estimate(0.03 * scale ** 2, 0.02 * scale ** 2, 0.04 * scale ** 2, 512, 40),
        over: "the whole vocabulary" as const,
        lowerBound: false,
      },
      loops: null,
      scorers: [],
      damage: [],
    })),
    twins: scales
      .filter((scale) => scale !== 0)
      .map((scale) => ({
        scale,
        count: 20,
        flipped: share(0.008 * Math.abs(scale), 0.0061, 20),
        toFirst: share(0.009 * Math.abs(scale), 0.0062, 20),
        toSecond: share(0.007 * Math.abs(scale), 0.0063, 20),
        valid: share(0.9871, 0.0064, 20),
        max: 0.025 * Math.abs(scale),
        comparisons: [],
      })),
    shuffledTwins: [],
    baselineNoise: { repeats: 2, maxShift: 0, meanShift: 0, shiftOfMean: 0, changedAnswers: 0, maxNet: 0, netOfMean: 0, maxKl: 0 },
    dose: {
      metric: "net shift of the target, nats",
      monotone: true,
      firstDamage: { negative: null, positive: null },
    },
    scorers: [],
    disagreements: [],
    notes: ["Prompts answered otherwise than expected at scale 0 take no part."],
  };
}

export function sampleReport(): ReportInput {
  const texts = [
    "<s>",
    "Statement",
    ":",
    "\n",
    "Paris",
    " is",
    " in",
    " Europe",
    ".",
    "\n",
    "Verdict",
    ":",
    " true",
  ];
  return {
    schemaVersion: 1,
    title: "Is the statement true? A direction in a small model",
    createdAt: "2025-03-04T14:03:00Z",
    model: { id: "tiny", checkpoint: "residua/tiny", layers: 6, hiddenSize: 128, parameters: 1376640 },
    dataset: {
      rows: 240,
      examples: 240,
      groups: 40,
      layers: [0, 1, 2, 3, 4, 5],
      selection: "the last token of each prompt",
      dtype: "bfloat16 bits, as captured",
      folder: "runs/first-run/dataset",
      checks: [{ code: "rows", status: "pass", detail: "prompt + generated − 1 rows came back" }],
    },
    answers: [
      {
        title: "Verdict on statements about cities that never had one in training",
        choices: [" true", " false"],
        right: share(0.985, 0.01, 200, 100),
        valid: { value: 1, low: 1, high: 1, n: 200, groups: 100 },
      },
    ],
    heldOut: {
      method: "difference of means",
      trainGroups: 40,
      groups: 24,
      layers: means.map((value, layer) => ({ layer, auroc: share(value - 0.007, 0.0173, 144, 24) })),
    },
    sweep: sampleSweep(),
    steering: sampleSteering(),
    strips: [
      {
        title: "Paris is in Europe",
        tokens: texts.map((text, index) => ({
          id: 100 + index,
          text,
          role: index === texts.length - 1 ? "generated" : "prompt",
        })),
        scores: texts.map((_, index) => (index === texts.length - 1 ? null : index / 3 - 0.5)),
        score: "projection on the truth direction, layer 3",
        above: "true",
        below: "false",
        label: "true",
        answer: "true",
      },
    ],
    limits: {
      asked: { model: "tiny-uncatalogued", layers: 3, positions: 683, hiddenSize: 16384 },
      sum: 33570816,
      limit: 33554432,
      wouldFit: "2 layers at 683 positions, or 3 layers at 682 positions",
      refusedByLens: "3 layers × 683 positions × 16384 = 33570816 numbers; at most 33554432 are allowed",
      refusedByServer: '400 {"error":{"message":"too many numbers","type":"invalid_request_error"}}',
    },
    settings: { temperature: 0 },
    timings: [
      { step: "capture", seconds: 9.31 },
      { step: "steer", seconds: 21.7 },
    ],
    peakMemoryMiB: 612.4,
    versions: { residua: "0.1.0", node: "20.20.2" },
    rerun: ["npm start", "npx residua report runs/first-run"],
  };
}
