import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*", "tools/*/vitest.config.mts", "notebooks/vitest.config.mts"],
    reporters: ["default", "./tools/dev/summary-reporter.mjs"],
  },
});
