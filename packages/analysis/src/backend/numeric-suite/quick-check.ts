import { roundInt32, quickSigmoid } from "./element-checks.ts";
import { argMaxTies } from "./index-checks.ts";
import { survive } from "./non-finite-checks.ts";
import type { NumericCheck } from "./numeric-check.ts";
import { fullPrecision, quickProduct } from "./product-checks.ts";
import { quickSum } from "./reduction-checks.ts";

/** The few of the numeric suite that a backend must pass before it is taken: milliseconds on a CPU. */
const quickChecks: readonly NumericCheck[] = [
  quickProduct,
  fullPrecision,
  quickSum,
  roundInt32,
  quickSigmoid,
  argMaxTies,
  survive,
];

/** Tries the active backend, and says what came out wrong, if anything. */
export async function quickCheck(): Promise<string | undefined> {
  for (const check of quickChecks) {
    const { worst, found, expected, at } = await check.run();
    if (!(worst <= 1)) return `${check.name} gave ${found} in place of ${expected} (${at})`;
  }
  return undefined;
}
