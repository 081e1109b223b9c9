import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { reliabilityCurveSchema } from "../../../src/results/reliability-curve.ts";
import {
  applyCalibration,
  calibrationFromJSON,
  fitCalibration,
  loadCalibration,
  saveCalibration,
} from "../../../src/statistics/calibration/calibration.ts";
import { reliabilityCurve } from "../../../src/statistics/calibration/reliability-curve.ts";
import { createRandom } from "../../../src/statistics/random.ts";
import { freshFolder } from "../../collect/collect-helpers.ts";
import { fixture } from "../statistics-fixture.ts";

const { isotonic, platt } = fixture.calibration;

test("isotonic regression equals scikit-learn's, ties and ends included", () => {
  const fit = fitCalibration({ ...pick(isotonic), method: "isotonic" });
  applyCalibration(fit, isotonic.at).forEach((p, i) => expect(p).toBeCloseTo(isotonic.probabilities[i]!, 12));
});

test("Platt's curve equals scikit-learn's within 2e-4, separable and far scores included", () => {
  for (const one of platt) {
    const fit = fitCalibration({ ...pick(one), method: "platt" });
    applyCalibration(fit, one.at).forEach((p, i) => {
      // Its lbfgs stops at a gradient of 1e-5; ours goes on to the optimum.
      expect(Math.abs(p - one.probabilities[i]!)).toBeLessThan(2e-4);
    });
  }
});

function pick({ scores, labels }: { scores: number[]; labels: number[] }) {
  return { scores, labels };
}

test("Platt's fit has no gradient left: mean probability and its product with the score are the targets'", () => {
  for (const { scores, labels } of platt) {
    const fitted = applyCalibration(fitCalibration({ scores, labels, method: "platt" }), scores);
    const positives = labels.reduce((a, b) => a + b);
    const targets = [1 / (labels.length - positives + 2), (positives + 1) / (positives + 2)];
    const size = Math.max(...scores.map(Math.abs));
    let [level, slope] = [0, 0];
    fitted.forEach((p, row) => {
      level += p - targets[labels[row]!]!;
      slope += ((p - targets[labels[row]!]!) * scores[row]!) / size;
    });
    expect(Math.abs(level)).toBeLessThan(1e-9);
    expect(Math.abs(slope)).toBeLessThan(1e-9);
  }
});

test("P8: scores that separate the classes or are all equal have a finite curve", () => {
  const separable = fitCalibration({ scores: [-1, -2, 1, 2], labels: [0, 0, 1, 1], method: "platt" });
  for (const p of applyCalibration(separable, [-2, 2])) expect(Math.abs(p - 0.5)).toBeLessThan(0.49);
  const constant = fitCalibration({ scores: [3, 3, 3], labels: [0, 1, 1], method: "platt" });
  // The mean of the targets 1/3, 3/4, 3/4.
  expect(applyCalibration(constant, [3])[0]).toBeCloseTo((1 / 3 + 3 / 2) / 3, 9);
  expect(() => fitCalibration({ scores: [1], labels: [1], method: "platt" })).toThrow(/0 negative/);
});

test("a calibrated score never falls where the score rises", () => {
  const rows = fc.array(fc.record({ score: fc.integer({ min: -9, max: 9 }), label: fc.nat(1) }), {
    minLength: 2,
    maxLength: 40,
  });
  fc.assert(
    fc.property(rows, (given) => {
      fc.pre(new Set(given.map(({ label }) => label)).size === 2);
      const data = { scores: given.map((r) => r.score), labels: given.map((r) => r.label) };
      const fit = fitCalibration({ ...data, method: "isotonic" });
      const line = applyCalibration(fit, [-99, ...Array.from({ length: 37 }, (_, i) => (i - 18) / 2), 99]);
      line.forEach((p, i) => expect(p).toBeGreaterThanOrEqual(i > 0 ? line[i - 1]! : 0));
      // Pooling keeps the mean.
      const fitted = applyCalibration(fit, data.scores).reduce((a, b) => a + b);
      expect(fitted).toBeCloseTo(
        data.labels.reduce((a, b) => a + b),
        9,
      );
    }),
  );
});

test("what was saved gives the same probabilities, bit for bit; what was changed is refused", async () => {
  const folder = await freshFolder();
  for (const method of ["platt", "isotonic"] as const) {
    const path = join(folder, `${method}.json`);
    const fit = fitCalibration({ ...pick(isotonic), method });
    await saveCalibration(path, fit);
    const loaded = await loadCalibration(path);
    expect(loaded).toEqual(fit);
    expect(applyCalibration(loaded, isotonic.at)).toEqual(applyCalibration(fit, isotonic.at));
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace("calibration", "calibrated"));
    await expect(loadCalibration(path)).rejects.toThrow(/kind/);
    await writeFile(path, text.slice(0, 40));
    await expect(loadCalibration(path)).rejects.toThrow(/is not JSON/);
  }
  await expect(loadCalibration(join(folder, "absent.json"))).rejects.toThrow(/cannot be read/);
  const corners = { schemaVersion: 1, kind: "calibration", method: "isotonic", n: 2, positives: 1 };
  const corner = (scores: number[], probabilities: number[]) => () =>
    calibrationFromJSON({ ...corners, scores, probabilities });
  expect(corner([1, 2], [0.5, 0.4])).toThrow(/corner 1 does not rise/);
  expect(corner([1, 2], [0.5])).toThrow(/2 scores and 1 probabilities/);
});

test("a reliability curve counts every row once, as valid JSON", () => {
  const { labels, probabilities } = fixture.calibration.error;
  const groups = labels.map((_, row) => row >> 1);
  for (const binning of ["width", "mass"] as const) {
    const curve = reliabilityCurve(
      { scores: probabilities, labels, groups },
      { bins: 5, binning, draws: 100 },
    );
    expect(curve.bins.reduce((sum, bin) => sum + bin.positives.n!, 0)).toBe(200);
    const error = curve.bins.reduce(
      (sum, bin) => sum + (bin.positives.n! * Math.abs(bin.meanProbability - bin.positives.value!)) / 200,
      0,
    );
    expect(curve.calibrationError.value).toBeCloseTo(error, 12);
    expect(reliabilityCurveSchema.parse(JSON.parse(JSON.stringify(curve)))).toEqual(curve);
  }
});

test("perfectly calibrated rows have the error that is expected of them", () => {
  const random = createRandom(6, "perfect");
  let [error, expected] = [0, 0];
  for (let set = 0; set < 100; set++) {
    const scores = Array.from({ length: 150 }, () => random.uniform());
    const labels = scores.map((p) => random.uniform() < p);
    const curve = reliabilityCurve({ scores, labels, groups: [...scores.keys()] }, { draws: 1 });
    error += curve.calibrationError.value! / 100;
    expected += curve.perfectError! / 100;
  }
  expect(error).toBeGreaterThan(0.03);
  expect(Math.abs(error / expected - 1)).toBeLessThan(0.08);
});
