import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nbclientAdvice, pythonWithJupyter } from "../jupyter.ts";
import { deno, denoEnvironment, here, root, writeKernel } from "../kernel.ts";
import { notebookScript } from "../notebook-script.ts";
import { joined, type Notebook, type NotebookOutput } from "../notebook.ts";

const run = promisify(execFile);
const scratch = mkdtempSync(join(tmpdir(), "residua-notebooks-"));
/** Below the folder of the notebooks, whose deno.json says what the types of Deno are. */
const scripts = mkdtempSync(join(here, "scripts-"));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
  rmSync(scripts, { recursive: true, force: true });
});

const names = readdirSync(here).filter((file) => file.endsWith(".ipynb"));
const python = pythonWithJupyter();
const environment: NodeJS.ProcessEnv = { ...process.env, ...denoEnvironment };
const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Notebook;
const script = (name: string) => join(scripts, name.replace(".ipynb", ".ts"));

/** The Python of notebook 07, made once; or why there is none. */
let withPackages: { bin: string } | { problem: string };
beforeAll(() => {
  for (const name of names) writeFileSync(script(name), notebookScript(name, read(join(here, name))));
  const program = `import { notebookPython } from "./tools/dev/notebook-python.mjs"; console.log(JSON.stringify(notebookPython()));`;
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: root,
    encoding: "utf8",
  });
  withPackages = JSON.parse(out) as typeof withPackages;
  if ("bin" in withPackages) environment["RESIDUA_PYTHON"] = join(withPackages.bin, "python");
}, 300_000);

/** What a reader sees of each code cell, without the numbers that a machine's speed changes. */
const shape = (notebook: Notebook) =>
  notebook.cells
    .filter((cell) => cell.cell_type === "code")
    .map((cell) => (cell.outputs ?? []).map((o) => [o.output_type, ...mimeTypes(o)].join(" ")));

const mimeTypes = ({ data = {} }: NotebookOutput) => Object.keys(data).sort();

const outputsOf = (notebook: Notebook) => notebook.cells.flatMap((cell) => cell.outputs ?? []);

const svgOf = ({ data }: NotebookOutput) => {
  const svg = data?.["image/svg+xml"];
  return svg === undefined ? [] : [joined(svg)];
};

describe.each(names)("%s", (name) => {
  const committed = read(join(here, name));
  const needsPackages = name.startsWith("07");

  test("is committed with its outputs, and none tells of this machine", () => {
    const outputs = outputsOf(committed);
    expect(outputs.flatMap(svgOf).length).toBeGreaterThan(0);
    for (const svg of outputs.flatMap(svgOf)) expect(svg).toMatch(/^\s*<svg[\s\S]*<(path|rect)/);
    expect(outputs.filter(({ output_type }) => output_type === "error")).toEqual([]);
    const texts = outputs.map(({ text = "", data = {} }) => joined(text) + JSON.stringify(data)).join("\n");
    expect(texts).not.toMatch(/residua server:|127\.0\.0\.1|file:\/\/|\/tmp\/|\/home\//);
  });

  test("runs top to bottom in Jupyter and shows what is committed", { timeout: 180_000 }, async (context) => {
    if (python === undefined) return context.skip(nbclientAdvice);
    if (needsPackages && "problem" in withPackages) return context.skip(withPackages.problem);
    const target = join(scratch, name);
    await run(python, [join(here, "run_notebook.py"), join(here, name), target], {
      env: { ...environment, JUPYTER_PATH: writeKernel() },
    });
    expect(shape(read(target))).toEqual(shape(committed));
  });

  test(
    "runs as a plain Deno script and prints what the notebook shows",
    { timeout: 180_000 },
    async (context) => {
      if (needsPackages && "problem" in withPackages) return context.skip(withPackages.problem);
      const { stdout } = await run(deno, ["run", "-A", script(name)], { cwd: root, env: environment });
      const titles = outputsOf(committed)
        .flatMap(svgOf)
        .map((svg) => /<title>([^<]*)<\/title>/.exec(svg)?.[1] ?? "no title");
      for (const title of titles) expect(stdout).toContain(title.slice(0, 20));
    },
  );
});

test("all of them pass the type checker", { timeout: 180_000 }, async () => {
  const checked = await run(deno, ["check", ...names.map(script)], { cwd: root, env: environment });
  expect(checked.stderr).not.toContain("error");
});
