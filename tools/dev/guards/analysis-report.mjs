const report = "packages/analysis/src/report";
const compare = "packages/analysis/src/runs/compare";
const test = "packages/analysis/test";

/** The guards of reports and of comparing runs; see index.mjs. */
export const analysisReportGuards = [
  {
    id: "report-data-hash",
    file: `${report}/report-data.ts`,
    remove: "if (hashedFile({ file: document.file, text }).sha256 !== document.sha256)",
    insert: "if (text.length < 0)",
    test: `${test}/report/report-data.test.ts`,
    name: "refuses a changed text",
  },
  {
    id: "report-data-paths",
    file: `${report}/report-data.ts`,
    remove: "parts.length <= 2 &&",
    insert: "parts.length <= 9 &&",
    test: `${test}/report/report-data.test.ts`,
    name: "could leave the folder",
  },
  {
    id: "report-provenance-changed",
    file: `${report}/rerun-section.ts`,
    remove: "changed: beside.value.sha256 !== sha256",
    insert: "changed: false",
    test: `${test}/report/run-report.test.ts`,
    name: "a result that was changed since is named",
  },
  {
    id: "report-every-size",
    file: `${report}/page-budget.ts`,
    remove: "if (full + dataSize() <= room) return",
    insert: "if (full + dataSize() <= 9 * room) return",
    test: `${test}/report/run-report-size.slow.test.ts`,
    name: "and come back all the same",
  },
  {
    id: "compare-other-seed",
    file: `${compare}/compare-runs.ts`,
    remove: "if (a.seed !== b.seed)",
    insert: "if (a.seed === null && b.seed !== null)",
    test: `${test}/runs/compare-runs.test.ts`,
    name: "tells no difference for other seed",
  },
  {
    id: "compare-unrecorded-data",
    file: `${compare}/compare-runs.ts`,
    remove: "else if (a.data === null || b.data === null)",
    insert: "else if (a.data === null && b.data === null)",
    test: `${test}/runs/compare-runs.test.ts`,
    name: "tells no difference for other data that is not recorded",
  },
  {
    id: "compare-ranges-of-draws",
    file: `${compare}/compare-runs.ts`,
    remove: "if (!rangeOfDraws.test(metric))",
    insert: "if (metric !== '' || rangeOfDraws.test(metric))",
    test: `${test}/runs/compare-runs.test.ts`,
    name: "gives ranges of draws no interval of their difference",
  },
  {
    id: "few-groups-shown",
    file: "packages/analysis/src/report/finding.ts",
    remove: "if (ofTooFew(estimate)) return false;",
    insert: "",
    test: "packages/analysis/test/report/report-words.test.ts",
    name: "calls nothing shown that few groups say",
  },
  {
    id: "damage-control-scale",
    file: "packages/analysis/src/report/report-words.ts",
    remove: "(steered.valid.value ?? 0) === validity) ?? worst",
    insert: "(steered.valid.value ?? 0) >= validity) ?? worst",
    test: "packages/analysis/test/report/report-words.test.ts",
    name: "compares valid answers with twins of the same scale",
  },
];
