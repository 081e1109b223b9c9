const probes = "packages/analysis/src/probes";
const against = "packages/analysis/test/probes/linear/against-sklearn.test.ts";
const scoring = "packages/analysis/test/probes/scoring/scoring.test.ts";
const files = "packages/analysis/test/probes/trained/probe-file.test.ts";
const training = "packages/analysis/test/probes/trained/train-probe.test.ts";
const planted = "packages/analysis/test/probes/linear/planted-signals.test.ts";

/** The guards of closed-form probes, trained probes, scores and thresholds; see index.mjs. */
export const analysisProbesGuards = [
  {
    id: "probe-seal",
    file: `${probes}/trained/probe-json.ts`,
    remove: "if (contentHash(content) === sha256)",
    insert: "if (sha256)",
    test: files,
    name: "a cut, changed, foreign or missing file is refused by name",
  },
  {
    id: "save-reads-first",
    file: `${probes}/document-file.ts`,
    remove: "kind.read(json);",
    insert: "",
    test: files,
    name: "saving what is no trained probe leaves the good file as it is",
  },
  {
    id: "probe-frozen-inside",
    file: `${probes}/trained/trained-probe.ts`,
    remove: "deepFrozen([data.classes, data.training, data.threshold] as const)",
    insert: "[data.classes, data.training, data.threshold] as const",
    test: files,
    name: "what a probe shows of itself cannot be changed, inside either",
  },
  {
    id: "group-of-none",
    file: `${probes}/scoring/score-dataset.ts`,
    remove: "refuseNoGroup(column[row], row, groupBy);",
    insert: "",
    test: scoring,
    name: "rows of no group are no sequence, and rows that are not finite are named by their own numbers",
  },
  {
    id: "probe-converged",
    file: `${probes}/trained/train-probe.ts`,
    remove: "if (converged && Number.isFinite(gradientNorm)) return;",
    insert: "if (converged || iterations >= 0) return;",
    test: training,
    name: "a fit that does not converge",
  },
  {
    id: "probe-finite",
    file: `${probes}/trained/trained-probe.ts`,
    remove: "const at = values.findIndex((value) => !Number.isFinite(value));",
    insert: "const at = -1;",
    test: files,
    name: "rows of another width, or that are not finite, are not scored",
  },
  {
    id: "score-model",
    file: `${probes}/scoring/check-source.ts`,
    remove: "probe.model !== model)",
    insert: "probe.model === undefined)",
    test: scoring,
    name: "of another width, layer or model is refused",
  },
  {
    id: "threshold-pool",
    file: `${probes}/scoring/flag.ts`,
    remove: "if (poolText(threshold.pool) !== poolText(pool))",
    insert: "if (poolText(threshold.pool) === undefined)",
    test: scoring,
    name: "is flagged by the stored threshold, of the scores that it is of",
  },
  {
    id: "threshold-ties",
    file: `${probes}/scoring/false-positive-threshold.ts`,
    remove: "const value = sorted[n - 1 - allowed]!;",
    insert: "const value = sorted[n - allowed]! - 1e-9;",
    test: "packages/analysis/test/probes/scoring/false-positive-threshold.test.ts",
    name: "ties only make it stricter",
  },
  {
    id: "threshold-resolved",
    file: `${probes}/scoring/false-positive-threshold.ts`,
    remove: "if (allowed < 1) {",
    insert: "if (allowed < 0) {",
    test: "packages/analysis/test/probes/scoring/false-positive-threshold.test.ts",
    name: "a rate that so few scores cannot show",
  },
  {
    id: "lda-class-scale",
    file: `${probes}/linear/shrunk-covariance.ts`,
    remove: 'own * level * (shrinkage === "auto" ? scales[j]! ** 2 : 1)',
    insert: "own * level",
    test: against,
    name: "LDA with Ledoit–Wolf shrinkage equals scikit-learn's lsqr",
  },
  {
    id: "ridge-centred",
    file: `${probes}/linear/row-spread.ts`,
    remove: "centred[row] = weight * (values[row]! - means[classOf[row]!]!);",
    insert: "centred[row] = weight * values[row]!;",
    test: against,
    name: "ridge regression equals scikit-learn's",
  },
  {
    id: "pca-sign",
    file: `${probes}/linear/pca.ts`,
    remove: "const sign = high < low ? -1 : 1;",
    insert: "const sign = 1 as 1 | -1;",
    test: planted,
    name: "the sign of a component|finds the planted feature",
  },
  {
    id: "pairs-uncentred",
    file: `${probes}/linear/pca-of-differences.ts`,
    remove: "for (const own of differences) addScaled(image, dot(own, vector!), own);",
    insert:
      "for (const own of differences) { const rest = own.map((v, j) => v - differences.reduce((s, d) => s + d[j]!, 0) / differences.length); addTo(image, dot(rest, vector!), rest); }",
    test: planted,
    name: "PCA of pairs is not centred",
  },
  {
    id: "sparse-train-only",
    file: `${probes}/linear/k-sparse.ts`,
    remove: "const byClass = rowSpread(spreads[at]!.weights, classOf, 2);",
    insert: "const byClass = rowSpread(new Float64Array(matrix.rows).fill(1), classOf, 2);",
    test: planted,
    name: "k-sparse chooses its features on training rows only",
  },
  {
    id: "direction-finite",
    file: `${probes}/direction-auroc.ts`,
    remove: "if (Number.isFinite(sum)) return sum;",
    insert: "if (rows.length > 0) return sum;",
    test: "packages/analysis/test/probes/direction-refusals.test.ts",
    name: "projections of values that are not finite",
  },
];
