import { defineConfig } from "vitest/config";

/** Tests run from sources: workspace packages resolve to `src/index.ts` by this export condition. */
const conditions = ["@residua/source", "node", "import", "module", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ["test/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 120_000 },
});
