import { knownProbe } from "../known-probe.ts";
import type { Probe, ProbeColumn } from "../probe.ts";
import { balancedWeights } from "./balanced-weights.ts";
import { logisticSettings, type LogisticOptions } from "./logistic-options.ts";
import { fitPath } from "./logistic-path.ts";

/**
 * Logistic regression with an L2 penalty, in scikit-learn's terms: minimises C · Σ log(1 + exp(−y·score)) + ½‖w‖² over
 * features standardised on the training rows; the bias is not penalised. Throws InvalidRequestError for options that are not
 * allowed; a fit that did not converge says so.
 */
export function logistic(options: LogisticOptions = {}): Probe {
  const settings = logisticSettings(options);
  const { C: path, bias, classWeights, tolerance } = settings;
  const prepared = (columns: readonly ProbeColumn[]) =>
    classWeights ? columns.map((column) => ({ ...column, lossWeights: balancedWeights(column) })) : columns;
  const probe: Probe = {
    name: "logistic",
    target: "classes",
    C: path,
    bias: bias ? "fitted" : "none",
    formula:
      `min C · Σ ${classWeights ? "weight · " : ""}log(1 + exp(−y·(x·w${bias ? " + b" : ""}))) + ½‖w‖², features standardised on training rows, ` +
      `${bias ? "b not penalised" : "no bias before the scaler is folded in"}; scaler folded into w and b`,
    fit: (matrix, columns) => fitPath(matrix, prepared(columns), { path, hasBias: bias, tolerance }),
    async fitAt(matrix, columns, C) {
      const one = { path: [C ?? path[0]!], hasBias: bias, tolerance };
      const [fits] = await fitPath(matrix, prepared(columns), one);
      return fits!;
    },
  };
  return knownProbe(probe, { name: "logistic", options: settings });
}
