import { configDefaults, defineConfig } from "vitest/config";
import { mutation } from "./tools/dev/mutation.mjs";

/** Tests run from sources: workspace packages resolve to `src/index.ts` by this export condition. */
const conditions = ["@residua/source", "node", "import", "module", "default"];
const slow = process.env["RESIDUA_FAST"] ? ["**/*.slow.test.ts"] : [];

export default defineConfig({
  plugins: [mutation()],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...slow],
    // Vitest leaves one core free by default; on two cores that halves the speed.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
