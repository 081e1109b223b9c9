const source = "packages/analysis/src/probes";
const tests = "packages/analysis/test/probes";

/** The guards of how layers are fitted: weights of rows, streams, workers; see index.mjs. */
export const analysisFitsGuards = [
  {
    id: "fit-row-weights",
    file: `${source}/logistic/logistic-loss.ts`,
    remove: "const pull = lossWeights ? lossWeights[row]! * along : along;",
    insert: "const pull = along;",
    test: `${tests}/logistic/logistic-options.test.ts`,
    name: "row weights",
  },
  {
    id: "fit-weighted-scaler",
    file: `${source}/training-moments.ts`,
    remove: "sums.add(own, weights![row]!)",
    insert: "sums.add(own, 1)",
    test: `${tests}/logistic/logistic-options.test.ts`,
    name: "row weights",
  },
  {
    id: "fit-weightless-class",
    file: `${source}/probe-fit.ts`,
    remove: "const weight = column.weights ? column.weights[row]! : 1;",
    insert: "const weight = 1;",
    test: `${tests}/row-weights.test.ts`,
    name: "a class of rows of weight 0 is refused",
  },
  {
    id: "fit-balanced",
    file: `${source}/logistic/balanced-weights.ts`,
    remove: "(2 * totals[labels[row] ? 1 : 0]!)",
    insert: "all",
    test: `${tests}/logistic/logistic-options.test.ts`,
    name: "balanced classes",
  },
  {
    id: "fit-no-bias",
    file: `${source}/logistic/logistic-descent.ts`,
    remove: "hasBias ? C * residuals[k]!.total : 0",
    insert: "C * residuals[k]!.total",
    test: `${tests}/logistic/logistic-options.test.ts`,
    name: "no bias",
  },
  {
    id: "stream-row-numbers",
    file: `${source}/streamed-matrix.ts`,
    remove: "column[first + row]!",
    insert: "column[row]!",
    test: `${tests}/streamed-matrix.test.ts`,
    name: "products, moments and samples are those of rows in memory",
  },
  {
    id: "stream-whole-refused",
    file: `${source}/streamed-matrix.ts`,
    remove: 'throw new ProbeError("streamed", message, { layer, rows, width });',
    insert: "return new Float32Array(rows * width + message.length * 0);",
    test: `${tests}/streamed-matrix.test.ts`,
    name: "a probe that needs all rows at once is refused",
  },
  {
    id: "fit-columns-length",
    file: `${source}/fit-layers/fit-layers-options.ts`,
    remove: "if (length === rows) continue;",
    insert: "continue;",
    test: `${tests}/fit-layers.slow.test.ts`,
    name: "bad options are named",
  },
  {
    id: "fit-layers-order",
    file: `${source}/fit-layers/fit-layers.ts`,
    remove: "const fits = await first.fits;",
    insert: "const fits = await Promise.race([first, ...under].map((each) => each.fits));",
    test: `${tests}/fit-layers.slow.test.ts`,
    name: "fits in workers are those of this thread",
  },
];
