/** The guards of probes and their statistics; see index.mjs. */
export const analysisGuards = [
  {
    id: "group-split",
    file: "packages/analysis/src/statistics/group-folds.ts",
    remove: "const units = indexGroups(options.groups);",
    insert: "const units = indexGroups(Array.from(options.groups, (_, row) => row));",
    test: "packages/analysis/test/statistics/group-folds.test.ts",
    name: "every group lies in exactly one fold",
  },
  {
    id: "train-only-scaler",
    file: "packages/analysis/src/probes/training-moments.ts",
    remove: "const inside = included[row] ? 1 : 0;",
    insert: "const inside = included.length > 0 ? 1 : 0;",
    test: "packages/analysis/test/probes/logistic/logistic.test.ts",
    name: "held-out rows take no part in the scaler",
  },
];
