import { projectRows, type ActivationDataset, type Direction, type ReportStrip } from "@residua/analysis";
import type { CaptureCheck } from "@residua/lens";
import type { Statement } from "@residua/tiny-model";
import type { Connection } from "./connect.ts";

/** A score for rows at the direction's layer: the projection on the unit direction, and where its two classes part. */
export interface TokenScore {
  readonly threshold: number;
  score(row: Float32Array): number;
}

/** The threshold lies half-way between the mean projections of true and false training rows. */
export async function tokenScore(
  dataset: ActivationDataset,
  direction: Direction,
  { label, isTraining }: { label: string; isTraining: (row: number) => boolean },
): Promise<TokenScore> {
  const labels = await dataset.column(label);
  const training = Array.from({ length: dataset.rows }, (_, row) => row).filter(isTraining);
  const unit = { layer: direction.layer, vector: Array.from(direction.vector, (x) => x / direction.norm) };
  const projections = await projectRows(dataset, unit, training);
  const meanOf = (value: boolean) => {
    const own = training.flatMap((row, i) => (labels[row] === value ? [projections[i]!] : []));
    return own.reduce((sum, x) => sum + x, 0) / own.length;
  };
  return {
    threshold: (meanOf(true) + meanOf(false)) / 2,
    score: (row) => row.reduce((sum, x, i) => sum + x * unit.vector[i]!, 0),
  };
}

/** Captures a few held-out statements at every position and scores each token; the answer is the likeliest next token. */
export async function captureStrips(
  { lens, model }: Connection,
  options: { statements: readonly Statement[]; layer: number; score: TokenScore; signal: AbortSignal },
): Promise<{ strips: ReportStrip[]; checks: CaptureCheck[] }> {
  const { statements, layer, score, signal } = options;
  const bos = (await lens.describe(model)).bosTokenId.value;
  const strips: ReportStrip[] = [];
  let checks: CaptureCheck[] = [];
  for (const { prompt, truth, city } of statements) {
    const capture = await lens.capture({ model, prompt, layers: "all", max_tokens: 1 }, { signal });
    checks = [...capture.checks];
    const scores = Array.from({ length: capture.positions }, (_, position) =>
      score.score(capture.row({ layer, position })),
    );
    strips.push({
      title: `A ${truth ? "true" : "false"} statement about ${city}, which never had a verdict in training`,
      tokens: capture.tokens.slice(0, capture.positions).map(({ id, text, role }) => ({
        id,
        text: text ?? (id !== null && id === bos ? "BOS" : null),
        role,
      })),
      scores,
      score: `projection on the truth direction at layer ${layer}`,
      threshold: score.threshold,
      above: "true",
      below: "false",
      label: String(truth),
      answer: capture.completion.choices[0]?.text.trim() ?? "",
    });
  }
  return { strips, checks };
}

/** Two true and two false statements, of four cities. */
export function stripStatements(statements: readonly Statement[]): Statement[] {
  const chosen: Statement[] = [];
  for (const truth of [true, false, true, false]) {
    const next = statements.find(
      (one) => one.truth === truth && chosen.every(({ city }) => city !== one.city),
    );
    if (next) chosen.push(next);
  }
  return chosen;
}
