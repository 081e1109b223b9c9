// Opens the notebooks in Jupyter with the Deno kernel. `--run [NAME…]` executes them in place, with their outputs; `--script NAME…`
// writes their code as programs. A name may be the beginning of one, such as 02.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { jupyterAdvice, jupyterCommand, nbclientAdvice, pythonWithJupyter } from "./jupyter.ts";
import { deno, here, writeKernel } from "./kernel.ts";
import { notebookScript } from "./notebook-script.ts";
import type { Notebook } from "./notebook.ts";

const usage = `npm run notebooks [-- OPTIONS] opens the notebooks in Jupyter, with the Deno kernel.

  -- NAME                opens that one; a name may be its beginning, such as 02
  -- --run [NAME…]       executes them in place, with their outputs
  -- --script [NAME…]    writes their code as programs, into notebooks/scripts
  -- --python            makes the Python environment of notebook 07 first`;
const given = process.argv.slice(2);
const names = given.filter((word) => !word.startsWith("-"));
const unknown = given.find((word) => word.startsWith("-") && !["--run", "--script"].includes(word));
const chosen = readdirSync(here).filter(
  (file) => file.endsWith(".ipynb") && (names.length === 0 || names.some((name) => file.startsWith(name))),
);
const missing = names.find((name) => !chosen.some((file) => file.startsWith(name)));

if (given.some((word) => word === "--help" || word === "-h")) console.log(usage);
else if (unknown !== undefined) fail(`${unknown} is not known.\n\n${usage}`);
else if (missing !== undefined) fail(`no notebook begins with ${missing}; there are:\n${listed()}`);
else if (given.includes("--run")) runAll();
else if (given.includes("--script")) writeScripts();
else openJupyter();

function runAll(): void {
  const python = pythonWithJupyter();
  if (python === undefined) return fail(nbclientAdvice);
  for (const name of chosen) {
    const began = performance.now();
    console.log(name);
    const file = join(here, name);
    const status = run(python, [join(here, "run_notebook.py"), file, file]);
    process.exitCode ||= status;
    if (status === 0) console.log(`  ${((performance.now() - began) / 1000).toFixed(0)} s`);
  }
}

function writeScripts(): void {
  const folder = join(here, "scripts");
  mkdirSync(folder, { recursive: true });
  for (const name of chosen) {
    const notebook = JSON.parse(readFileSync(join(here, name), "utf8")) as Notebook;
    const file = join(folder, name.replace(".ipynb", ".ts"));
    writeFileSync(file, notebookScript(name, notebook));
    console.log(`DENO_CONDITIONS=@residua/source ${deno} run -A ${file}`);
  }
}

function openJupyter(): void {
  const jupyter = jupyterCommand();
  if (jupyter === undefined) return fail(jupyterAdvice);
  const [command, program] = jupyter;
  process.exitCode = run(command, [program, names.length === 0 ? here : join(here, chosen[0]!)]);
}

function run(command: string, args: string[]): number {
  const jupyterPath = [writeKernel(), process.env["JUPYTER_PATH"]].filter(Boolean).join(":");
  const env = { ...process.env, JUPYTER_PATH: jupyterPath };
  return spawnSync(command, args, { stdio: "inherit", env }).status ?? 1;
}

function listed(): string {
  return readdirSync(here)
    .filter((file) => file.endsWith(".ipynb"))
    .map((file) => `  ${file}`)
    .join("\n");
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
