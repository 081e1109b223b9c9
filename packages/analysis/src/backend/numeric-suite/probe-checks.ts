import { lda } from "../../probes/linear/lda.ts";
import { ridge } from "../../probes/linear/ridge.ts";
import { logistic } from "../../probes/logistic/logistic.ts";
import type { Probe } from "../../probes/probe.ts";
import { probeMatrix } from "../../probes/probe-matrix.ts";
import { compare } from "./compare.ts";
import type { NumericCheck } from "./numeric-check.ts";
import { probeReferences } from "./probe-references.ts";

const rows = 90;
const width = 6;
const labels = Uint8Array.from({ length: rows }, (_, row) => Number((row * 7) % 5 < 2));
const values = Float32Array.from({ length: rows * width }, (_, at) => {
  const [row, j] = [Math.floor(at / width), at % width];
  return Math.sin(0.37 * (row + 1) * (j + 1)) + (j === 1 ? 0.8 * labels[row]! : 0) + (j === 3 ? 3 : 0);
});
/** What the ridge predicts. */
const numbers = Float64Array.from(labels, (label, row) => values[row * width]! + 2 * label);

const probes: Readonly<Record<string, (C: number | undefined) => Probe>> = {
  logistic: (C) => logistic({ C, tolerance: 1e-10 }),
  ridge: (C) => ridge({ lambda: C! }),
  lda: () => lda(),
};

/** Whole fits: products on the backend, factors and sums on the CPU. */
export const probeChecks: readonly NumericCheck[] = probeReferences.map(({ probe, C, weights, bias }) => ({
  name: `probe ${probe}${C === undefined ? "" : ` at ${C}`}`,
  tolerance: "1e-3 of the largest weight",
  reference: "scikit-learn 1.9.1, converged",
  async run() {
    const matrix = probeMatrix(values, width);
    try {
      const column = {
        training: { included: new Uint8Array(rows).fill(1) },
        labels: probe === "ridge" ? numbers : labels,
      };
      const [fits] = await probes[probe]!(C).fit(matrix, [column]);
      const [fit] = fits!;
      const largest = Math.max(...weights.map(Math.abs));
      return compare([...fit!.weights, fit!.bias], [...weights, bias], 1e-3 * largest);
    } finally {
      matrix.dispose();
    }
  },
}));
