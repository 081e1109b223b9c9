import { join } from "node:path";
import { guards } from "./guards/index.mjs";
import { root } from "./workspace.mjs";

/** The guard that RESIDUA_MUTANT names, if its file is the one that is loaded: a process may take out one after the other. */
function guardOf(id) {
  const guard = process.env.RESIDUA_MUTANT && guards.find(({ id }) => id === process.env.RESIDUA_MUTANT);
  return guard && id.split("?")[0] === join(root, guard.file) ? guard : undefined;
}

/** A vite plugin that takes one guard out of the code as it is loaded; no file is touched. */
export function mutation() {
  return {
    name: "residua-mutation",
    enforce: "pre",
    // The file without its guard is no module to keep for others.
    configureVitest({ experimental_defineCacheKeyGenerator: define }) {
      define(({ id }) => (guardOf(id) ? false : undefined));
    },
    transform(code, id) {
      const guard = guardOf(id);
      if (!guard) return undefined;
      if (!code.includes(guard.remove))
        throw new Error(`${guard.id}: ${guard.file} no longer holds: ${guard.remove}`);
      return { code: code.replace(guard.remove, guard.insert), map: null };
    },
  };
}
