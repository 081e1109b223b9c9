// `npm run notebooks`: prepares the Deno kernel and opens the notebooks; with --run executes them in place, with outputs.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { here, python, writeKernel } from "../../notebooks/kernel.mjs";
import { ensureInstalled, run } from "./workspace.mjs";

await ensureInstalled();
const env = { ...process.env, JUPYTER_PATH: [writeKernel(), process.env.JUPYTER_PATH].filter(Boolean).join(":") };

if (process.argv.includes("--run")) {
  for (const name of readdirSync(here).filter((file) => file.endsWith(".ipynb"))) {
    console.log(name);
    const file = join(here, name);
    const code = await run(python, [join(here, "run_notebook.py"), file, file], { env });
    if (code !== 0) process.exit(code);
  }
} else {
  const code = await run("jupyter", ["lab", here], { env });
  if (code !== 0) console.error("To open the notebooks, install JupyterLab; to execute them only: npm run notebooks -- --run");
  process.exit(code);
}
