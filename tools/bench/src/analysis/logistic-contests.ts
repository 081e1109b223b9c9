import type { Contest } from "../row.ts";
import { logisticFitsContest } from "./logistic-fits.ts";

const C = [1e-4, 1e-3, 1e-2, 1e-1, 1, 3, 10, 100];
const sweep = { rows: 1496, width: 896, C, folds: 5, peerThreads: 1 } as const;
const large = { rows: 10_000, width: 4096, C: [1], folds: 1, layers: 1, peerThreads: 2 } as const;

const sweepText = "24 layers × 5 folds × 8 C of logistic fits, n 1496, d 896";
const shuffleText = "100 label shuffles × 5 folds × 8 C of logistic fits of one layer, n 1496, d 896";
const largeText = "one logistic fit at C = 1, n 10 000, d 4096";

/** Rows of many logistic fits, on WebAssembly and on the native backend. */
export const logisticContests: Readonly<Record<string, (id: string) => Promise<Contest>>> = {
  "analysis/logistic-layer": (id) =>
    logisticFitsContest(id, {
      ...sweep,
      layers: 1,
      backend: "wasm",
      goal: null,
      work: sweepText.replace("24 layers", "1 layer"),
    }),
  "analysis/logistic-sweep": (id) =>
    logisticFitsContest(id, { ...sweep, layers: 24, backend: "wasm", goal: 3, work: sweepText }),
  "analysis/logistic-sweep-native": (id) =>
    logisticFitsContest(id, { ...sweep, layers: 24, backend: "native", goal: 10, work: sweepText }),
  "analysis/logistic-shuffles": (id) =>
    logisticFitsContest(id, {
      ...sweep,
      layers: 1,
      shuffles: 100,
      backend: "wasm",
      goal: 8,
      work: shuffleText,
    }),
  "analysis/logistic-shuffles-native": (id) =>
    logisticFitsContest(id, {
      ...sweep,
      layers: 1,
      shuffles: 100,
      backend: "native",
      goal: 20,
      work: shuffleText,
    }),
  "analysis/logistic-large": (id) =>
    logisticFitsContest(id, { ...large, backend: "wasm", goal: 1, work: largeText }),
  "analysis/logistic-large-native": (id) =>
    logisticFitsContest(id, { ...large, backend: "native", goal: 3, work: largeText }),
};
