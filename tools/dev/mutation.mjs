import { join } from "node:path";
import { guards } from "./guards/index.mjs";
import { root } from "./workspace.mjs";

/** A vite plugin that takes one guard out of the code as it is loaded (RESIDUA_MUTANT names it); no file is touched. */
export function mutation() {
  const guard = guards.find(({ id }) => id === process.env.RESIDUA_MUTANT);
  return {
    name: "residua-mutation",
    enforce: "pre",
    // The file without its guard is no module to keep for others.
    configureVitest({ experimental_defineCacheKeyGenerator: define }) {
      define(({ id }) => (guard && id.split("?")[0] === join(root, guard.file) ? false : undefined));
    },
    transform(code, id) {
      if (!guard || id.split("?")[0] !== join(root, guard.file)) return undefined;
      if (!code.includes(guard.remove))
        throw new Error(`${guard.id}: ${guard.file} no longer holds: ${guard.remove}`);
      return { code: code.replace(guard.remove, guard.insert), map: null };
    },
  };
}
