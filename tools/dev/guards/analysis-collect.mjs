/** The guards of collecting; see index.mjs. */
export const analysisCollectGuards = [
  {
    id: "C22-captured-ids",
    file: "packages/analysis/src/collect/select-capture.ts",
    remove: "if (ran.length === prompt.length && other < 0) return;",
    insert: "if (other < 1e9) return;",
    test: "packages/analysis/test/collect/rollouts/collect-rollouts.test.ts",
    name: "a lens that tokenises what it is sent anew is found out",
  },
  {
    id: "C30-ids-told",
    file: "packages/analysis/src/collect/rollouts/sample-rollout.ts",
    remove: 'throw idsUnknown(path, generatedIds === undefined ? "generated" : "prompt");',
    insert: "return { promptIds: [0], generatedIds: [0] };",
    test: "packages/analysis/test/collect/rollouts/collect-rollouts.test.ts",
    name: "a server that does not tell ids is refused by name",
  },
  {
    id: "collect-fingerprint",
    file: "packages/analysis/src/collect/content-hash.ts",
    remove: "model, checkpoint, server, layers,",
    insert: "model, checkpoint, null, layers,",
    test: "packages/analysis/test/collect/collect-reuse.test.ts",
    name: "never of a server with another fingerprint",
  },
  {
    id: "collect-failure-recorded",
    file: "packages/analysis/src/collect/capture-all.ts",
    remove: "await writer.fail(outcome.failure);",
    insert: "",
    test: "packages/analysis/test/collect/collect-failures.test.ts",
    name: "is recorded with its error, never dropped, and the run goes on",
  },
];
