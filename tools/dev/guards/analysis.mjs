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
    file: "packages/analysis/src/probes/logistic-state.ts",
    remove: "standardMoments(matrix.values, matrix.width, column.training.included)",
    insert: "standardMoments(matrix.values, matrix.width)",
    test: "packages/analysis/test/probes/logistic.test.ts",
    name: "held-out rows take no part in the scaler",
  },
];
