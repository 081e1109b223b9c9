import { tmpdir } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { mutation } from "./tools/dev/mutation.mjs";

/** Tests run from sources: workspace packages resolve to `src/index.ts` by this export condition. */
const conditions = ["@residua/source", "node", "import", "module", "default"];
/** What is tried on a real server (`*.oracle.ts`) runs where RESIDUA_ORACLE names one. */
const oracle = process.env["RESIDUA_ORACLE"] ? ["test/**/*.oracle.ts"] : [];
const fast = Boolean(process.env["RESIDUA_FAST"]);
const slow = fast ? ["**/*.slow.test.ts"] : [];

export default defineConfig({
  plugins: [mutation()],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // What a test finds does not depend on the backends that this user has installed.
    env: { RESIDUA_CACHE: join(tmpdir(), "residua-tests-have-no-cache") },
    include: ["test/**/*.test.ts", ...oracle],
    exclude: [...configDefaults.exclude, ...slow],
    // A worker's files share their modules where time counts: half of it goes into loading them anew.
    isolate: !fast,
    // Vitest leaves one core free by default; on two cores that halves the speed.
    maxWorkers: "100%",
    // Mutants run hundreds of processes, most of whose time goes into compiling the same modules.
    experimental: {
      fsModuleCache: Boolean(process.env["RESIDUA_MODULE_CACHE"]),
      ...(process.env["RESIDUA_MODULE_CACHE"] && { fsModuleCachePath: process.env["RESIDUA_MODULE_CACHE"] }),
    },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
