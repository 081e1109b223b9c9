// `npm start`: installs what is missing, then captures, probes and steers the embedded model.
import { ensureInstalled } from "./workspace.mjs";

await ensureInstalled();
process.argv = [process.argv[0], "residua", "first-run", ...process.argv.slice(2)];
await import("../cli/bin/residua.js");
