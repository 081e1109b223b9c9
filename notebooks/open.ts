// Prepares the Deno kernel and opens the notebooks in JupyterLab; with --run executes them in place, with their outputs.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { here, python, writeKernel } from "./kernel.ts";

const jupyterPath = [writeKernel(), process.env["JUPYTER_PATH"]].filter(Boolean).join(":");
const run = (command: string, args: string[]) =>
  spawnSync(command, args, { stdio: "inherit", env: { ...process.env, JUPYTER_PATH: jupyterPath } }).status ??
  1;

if (process.argv.includes("--run")) {
  for (const name of readdirSync(here).filter((file) => file.endsWith(".ipynb"))) {
    console.log(name);
    const file = join(here, name);
    process.exitCode ||= run(python, [join(here, "run_notebook.py"), file, file]);
  }
} else {
  process.exitCode = run("jupyter", ["lab", here]);
  if (process.exitCode !== 0) {
    console.error(
      "Opening needs JupyterLab. To execute the notebooks without it: npm run notebooks -- --run",
    );
  }
}
