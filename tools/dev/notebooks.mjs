// `npm run notebooks`: prepares the Deno kernel and opens the notebooks; `-- --run` executes them in place, with outputs; `-- --script 02`
// writes a notebook's code as a program; `-- --python` makes the Python environment of notebook 07 first.
import { join } from "node:path";
import { madeNotebookPython, notebookPython } from "./notebook-python.mjs";
import { ensureInstalled, runSource } from "./workspace.mjs";

await ensureInstalled();
const asked = process.argv.some((word) => word === "--help" || word === "-h");
if (process.env.RESIDUA_PYTHON === undefined && !asked) {
  const wanted = process.argv.includes("--python") || process.argv.includes("--run");
  const environment = wanted ? notebookPython() : madeNotebookPython();
  if (environment?.problem !== undefined) {
    console.error(`Notebook 07 will use python3 as it is: ${environment.problem}`);
  } else if (environment !== undefined) {
    process.env.RESIDUA_PYTHON = join(environment.bin, "python");
  }
}
process.argv = process.argv.filter((word) => word !== "--python");
await runSource("notebooks/open.ts");
