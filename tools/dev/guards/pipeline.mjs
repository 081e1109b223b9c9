const source = "tools/cli/src/pipeline";
const tests = "tools/cli/test/pipeline";

/** The guards of pipelines; see index.mjs. */
export const pipelineGuards = [
  {
    id: "gate-undefined",
    file: `${source}/gate.ts`,
    remove: 'if (typeof value !== "number") {',
    insert: 'if (typeof value !== "number" && value !== null) {',
    test: `${tests}/gate.test.ts`,
    name: "passes not, and says why",
  },
  {
    id: "gate-inherited",
    file: `${source}/gate.ts`,
    remove: " || !Object.hasOwn(value, key)",
    insert: " || !(key in value)",
    test: `${tests}/gate.test.ts`,
    name: "passes not, and says why",
  },
  {
    id: "step-output-changed",
    file: `${source}/step-state.ts`,
    remove: 'return found === output ? [] : ["its result is another than it wrote"];',
    insert: "return [];",
    test: `${tests}/step-state.test.ts`,
  },
  {
    id: "step-version",
    file: `${source}/step-state.ts`,
    remove: "before.version === basis.version",
    insert: "true",
    test: `${tests}/step-state.test.ts`,
  },
  {
    id: "step-not-ended",
    file: `${source}/step-state.ts`,
    remove: 'if (output === null) return ["its last run did not end"];',
    insert: "",
    test: `${tests}/step-state.test.ts`,
  },
  {
    id: "pipeline-line",
    file: `${source}/read-pipeline.ts`,
    remove: "if (node?.range) return lines.linePos(node.range[0]).line;",
    insert: "",
    test: `${tests}/read-pipeline.test.ts`,
    name: "is named with its line",
  },
  {
    id: "pipeline-later-sweep",
    file: `${source}/read-pipeline.ts`,
    remove: "if (!sweeps.includes(step.options.layer))",
    insert: "if (false)",
    test: `${tests}/read-pipeline.test.ts`,
    name: "is named with its line",
  },
];
