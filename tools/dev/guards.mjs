import { clientGuards } from "./client-guards.mjs";
import { serverGuards } from "./server-guards.mjs";

/**
 * The guards that `npm run mutants` takes out, one at a time: where each stands, what is put in its place, and the test
 * that must then fail. A guard whose removal no test notices does not guard.
 */
export const guards = [
  {
    id: "capture-limit",
    file: "packages/lens/src/capture-limit.ts",
    remove: "if (captureNumbers(least) > captureLimit) {",
    insert: "if (false) {",
    test: "packages/lens/test/create-lens.test.ts",
    name: "capture limit",
  },
  {
    id: "steering-numbers",
    file: "packages/lens/src/steering-request.ts",
    remove: "if (numbers > steeringLimits.numbers) {",
    insert: "if (false) {",
    test: "packages/lens/test/steering-vector.test.ts",
    name: "holds the limits of 8 vectors",
  },
  {
    id: "steering-vectors",
    file: "packages/lens/src/steering-request.ts",
    remove: "if (vectors.length > steeringLimits.vectors) {",
    insert: "if (false) {",
    test: "packages/lens/test/steering-vector.test.ts",
    name: "holds the limits of 8 vectors",
  },
  {
    id: "request-limits",
    file: "packages/client/src/requests/check-request.ts",
    remove: "const outcome = judge(rule, measure);",
    insert: 'const outcome = "fits" as ReturnType<typeof judge>;',
    test: "packages/client/test/requests/check-request.test.ts",
    name: "prints the worked sum",
  },
  {
    id: "row-check",
    file: "packages/lens/src/verify-shape.ts",
    remove: "if (rows !== expected.rows) {",
    insert: "if (false) {",
    test: "packages/lens/test/create-lens.test.ts",
    name: "row check",
  },
  {
    id: "layer-check",
    file: "packages/lens/src/verify-shape.ts",
    remove: "if (layers !== (expected.layers ?? layers)) {",
    insert: "if (false) {",
    test: "packages/lens/test/create-lens.test.ts",
    name: "layer check",
  },
  {
    id: "width-check",
    file: "packages/lens/src/verify-shape.ts",
    remove: "if (hiddenSize !== (expected.hiddenSize ?? hiddenSize)) {",
    insert: "if (false) {",
    test: "packages/lens/test/create-lens.test.ts",
    name: "hidden_size",
  },
  {
    id: "finite-check",
    file: "packages/lens/src/verify-finite.ts",
    remove: "if (at < 0) return;",
    insert: "return;",
    test: "packages/lens/test/create-lens.test.ts",
    name: "names the layer and position",
  },
  {
    id: "double-bos",
    file: "packages/lens/src/learn-tokens.ts",
    remove: "if (byId || byText || byPlace) throw doubleBos();",
    insert: "",
    test: "packages/lens/test/learn-tokens.test.ts",
    name: "is refused by id and by the known texts",
  },
  {
    id: "steering-width",
    file: "packages/lens/src/steering-request.ts",
    remove: "if (target.hiddenSize !== undefined && width !== target.hiddenSize) {",
    insert: "if (false) {",
    test: "packages/lens/test/steering-vector.test.ts",
    name: "refuses what a server would silently not do",
  },
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
  ...clientGuards,
  ...serverGuards,
];
