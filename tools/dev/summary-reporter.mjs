import { writeFileSync } from "node:fs";

/** A vitest reporter that writes what tools/dev/test.mjs counts: passed, failed names, skipped names with their notes. */
export default class SummaryReporter {
  onTestRunEnd(modules) {
    const file = process.env.RESIDUA_TEST_SUMMARY;
    if (!file) return;
    const summary = { passed: 0, failed: [], skipped: [] };
    for (const module of modules) {
      if (module.errors().length > 0) summary.failed.push(`${module.moduleId} (did not load)`);
      for (const test of module.children.allTests()) {
        const result = test.result();
        const name = `${module.project.name}: ${test.fullName}`;
        if (result.state === "passed") summary.passed += 1;
        else if (result.state === "failed") summary.failed.push(name);
        else summary.skipped.push({ name, note: result.note });
      }
    }
    writeFileSync(file, JSON.stringify(summary));
  }
}
