import { tmpdir } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { mutation } from "./tools/dev/mutation.mjs";

/** Tests run from sources: workspace packages resolve to `src/index.ts` by this export condition. */
const conditions = ["@residua/source", "node", "import", "module", "default"];
/** What is tried on a real server (`*.oracle.ts`) runs where RESIDUA_ORACLE names one. */
const oracle = process.env["RESIDUA_ORACLE"] ? ["test/**/*.oracle.ts"] : [];
/** The fast tests or the slow ones alone, as tools/dev/ runs them; all where it is not set. */
const part = process.env["RESIDUA_TESTS"];

export default defineConfig({
  plugins: [mutation()],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // What a test finds does not depend on the backends that this user has installed.
    env: { RESIDUA_CACHE: join(tmpdir(), "residua-tests-have-no-cache") },
    include: [part === "slow" ? "test/**/*.slow.test.ts" : "test/**/*.test.ts", ...oracle],
    exclude: [...configDefaults.exclude, ...(part === "fast" ? ["**/*.slow.test.ts"] : [])],
    // A worker's fast files share their modules: half of the time goes into loading them anew.
    isolate: part !== "fast",
    // Vitest leaves one core free by default; on two cores that halves the speed.
    maxWorkers: "100%",
    // The lanes of mutants would each compile the same modules.
    experimental: {
      fsModuleCache: Boolean(process.env["RESIDUA_MODULE_CACHE"]),
      ...(process.env["RESIDUA_MODULE_CACHE"] && { fsModuleCachePath: process.env["RESIDUA_MODULE_CACHE"] }),
    },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
