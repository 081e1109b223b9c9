import type { ScoreHistogram } from "../../../src/results/score-histogram.ts";

const edges = Array.from({ length: 25 }, (_, index) => Math.round(100 * (-6 + index / 2)) / 100);

function cloud(mean: number, spread: number, n: number): number[] {
  const weights = edges.slice(1).map((edge) => Math.exp(-(((edge - 0.25 - mean) / spread) ** 2) / 2));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => Math.round((n * weight) / sum));
}

function classOf(
  label: string | boolean,
  mean: number,
  spread: number,
  size: number,
): ScoreHistogram["classes"][number] {
  const counts = cloud(mean, spread, size);
  return { label, counts, n: counts.reduce((sum, count) => sum + count, 0), mean };
}

export function sampleScoreHistogram(
  classes = [classOf(true, 1.9, 1.3, 200), classOf(false, -1.6, 1.1, 200)],
  threshold: number | null = 0,
): ScoreHistogram {
  return {
    schemaVersion: 1,
    kind: "score-histogram",
    score: "logit of the logistic probe at layer 4, held-out cities",
    edges,
    classes,
    threshold,
    n: classes.reduce((sum, { n }) => sum + n, 0),
    groups: 80,
  };
}

export function manyHistograms(): ScoreHistogram {
  const names = [
    "refuses",
    "answers",
    "answers in part",
    "asks back",
    "changes the subject",
    "says nothing",
    "a seventh",
  ];
  return sampleScoreHistogram(
    names.map((name, index) => classOf(name, -3 + index, 0.6 + index / 5, 20 * (index + 1))),
    null,
  );
}

/** A class without rows, a threshold beyond all scores. */
export function sparseHistogram(): ScoreHistogram {
  const empty = { label: 2, counts: edges.slice(1).map(() => 0), n: 0, mean: null };
  return sampleScoreHistogram([empty, classOf("only", 0, 0.2, 3)], 9);
}
