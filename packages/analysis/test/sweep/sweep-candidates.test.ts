import { beforeAll, expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { logistic } from "../../src/probes/logistic/logistic.ts";
import { probeMatrix } from "../../src/probes/probe-matrix.ts";
import { sweepCandidates } from "../../src/sweep/sweep-candidates.ts";
import { planOfFolds } from "../../src/sweep/sweep-plan.ts";
import { sweptProbe } from "../../src/sweep/swept-probe.ts";
import { createRandom } from "../../src/statistics/random.ts";

beforeAll(() => useBackend({ prefer: "wasm" }));

const [rows, width, folds] = [60, 4, 3];
const random = createRandom(3, "candidates");
const foldOf = Uint8Array.from({ length: rows }, (_, row) => row % folds);
const labels = Float64Array.from({ length: rows }, (_, row) => (row >> 1) % 2);
const values = Float32Array.from(
  { length: rows * width },
  (_, at) => random.gaussian() + (at % width === 0 ? 2 * labels[Math.floor(at / width)]! : 0),
);

async function swept(own: { values?: Float32Array; labels?: Float64Array; without?: Uint8Array }) {
  const target = {
    task: "binary" as const,
    labels: own.labels ?? labels,
    columns: 1,
    groupOf: Uint32Array.from({ length: rows }, (_, row) => row),
    groups: rows,
  };
  const plan = planOfFolds(foldOf, folds, own.without);
  const matrix = probeMatrix(own.values ?? values, width);
  const probes = [logistic({ C: [0.01, 1] })];
  const candidates = await sweepCandidates(matrix, { name: "Layer 0", target, plan, probes });
  const found = sweptProbe(candidates, { target, plan })!;
  matrix.dispose();
  return { candidates, found };
}

test("P1, P3: an outer fold takes no part in its own choice, fit, threshold or calibration", async () => {
  const before = await swept({});
  // Rows of fold 0 are moved far away, and some of their labels turned round.
  const moved = values.map((value, at) => (foldOf[Math.floor(at / width)] === 0 ? 50 - 3 * value : value));
  const turned = labels.map((label, row) => (row % 9 === 0 ? 1 - label : label));
  const after = await swept({ values: moved, labels: turned });
  after.candidates.forEach((candidate, k) => {
    expect(candidate.inner[0]).toBe(before.candidates[k]!.inner[0]);
    expect(candidate.inner[1]).not.toBe(before.candidates[k]!.inner[1]);
    const [one, other] = [candidate.innerScores(0), before.candidates[k]!.innerScores(0)];
    expect(one.rows).toEqual(other.rows);
    one.scores.forEach((score, i) => expect(score).toBeCloseTo(other.scores[i]!, 1));
  });
  expect(after.found.choices[0]!.inner).toBe(before.found.choices[0]!.inner);
  const [threshold, same] = [after, before].map(({ found }) => found.heldOut.calibrations[0]!.threshold);
  expect(threshold).toBeCloseTo(same!, 1);
});

test("rows that a plan is without take no part in any choice: their labels are as if unknown", async () => {
  const without = Uint8Array.from({ length: rows }, (_, row) => Number(row % 7 === 0));
  const turned = labels.map((label, row) => (without[row] ? 1 - label : label));
  const before = await swept({ without });
  const after = await swept({ without, labels: turned });
  expect(after.candidates.map(({ inner }) => inner)).toEqual(before.candidates.map(({ inner }) => inner));
  expect(after.found.heldOut).toEqual(before.found.heldOut);
});
