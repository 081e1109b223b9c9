// `npm run notebooks`: prepares the Deno kernel and opens the notebooks; with --run executes them in place, with outputs.
import { ensureInstalled, runSource } from "./workspace.mjs";

await ensureInstalled();
await runSource("notebooks/open.ts");
