import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import {
  deno,
  denoEnvironment,
  here,
  notebookScript,
  python,
  root,
  writeKernel,
  type Notebook,
} from "../kernel.ts";

const run = promisify(execFile);
const scratch = mkdtempSync(join(tmpdir(), "residua-notebooks-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const hasJupyter = (() => {
  try {
    execFileSync(python, ["-c", "import nbclient, jupyter_client"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Notebook;
const environment = { ...process.env, ...denoEnvironment };

/** The kinds of output of each code cell: what a reader sees, without the numbers that a machine's speed changes. */
const shape = (notebook: Notebook) =>
  notebook.cells
    .filter((cell) => cell.cell_type === "code")
    .map((cell) =>
      (cell.outputs ?? []).map((o) => [o.output_type, ...Object.keys(o.data ?? {}).sort()].join(" ")),
    );

const svgText = (svg: string | readonly string[]) => (typeof svg === "string" ? svg : svg.join(""));

describe.each(readdirSync(here).filter((file) => file.endsWith(".ipynb")))("%s", (name) => {
  const file = join(here, name);

  test("runs top to bottom in Jupyter and shows what is committed", { timeout: 180_000 }, async (context) => {
    if (!hasJupyter)
      context.skip("Jupyter's nbclient is missing: apt-get install python3-nbclient jupyter-client");
    const target = join(scratch, name);
    await run(python, [join(here, "run_notebook.py"), file, target], {
      env: { ...environment, JUPYTER_PATH: writeKernel() },
    });
    const executed = read(target);
    expect(shape(executed)).toEqual(shape(read(file)));
    const outputs = executed.cells.flatMap((cell) => cell.outputs ?? []);
    const pictures = outputs
      .map((output) => output.data?.["image/svg+xml"])
      .filter((svg) => svg !== undefined);
    const strips = outputs.flatMap((output) => output.data?.["text/html"] ?? []);
    expect(pictures.length + strips.length).toBeGreaterThan(0);
    for (const svg of pictures) expect(svgText(svg)).toMatch(/^\s*<svg[\s\S]*<path/);
  });

  test("passes the type checker", { timeout: 120_000 }, async () => {
    const script = join(here, `.check-${name.replace(".ipynb", "")}.ts`);
    writeFileSync(script, notebookScript(read(file)));
    try {
      await run(deno, ["check", script], { cwd: root, env: environment });
    } finally {
      rmSync(script);
    }
  });
});

test("the same slice runs as a plain Deno script", { timeout: 120_000 }, async () => {
  const { stdout } = await run(deno, ["run", "-A", join(here, "first-capture.ts")], {
    cwd: root,
    env: { ...environment, RESIDUA_RUNS: scratch },
  });
  const result = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as { layer: number; auroc: number };
  expect(result.auroc).toBeGreaterThan(0.98);
});
