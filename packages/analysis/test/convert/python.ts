import { execFileSync, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../../..");

/** The versions that what is written here was read with, by hand and in every test. */
const requirements = [
  "numpy==2.4.6",
  "pyarrow==26.0.1",
  "pandas==3.1.1",
  "polars==2.1.0",
  "safetensors==0.8.0",
];

/** A Python with these packages, in a virtual environment that is made once; or why there is none. */
export function python(): { bin: string } | { problem: string } {
  const script = `import { pythonEnvironment } from "./tools/dev/python-environment.mjs";
    console.log(JSON.stringify(pythonEnvironment(${JSON.stringify(requirements)})));`;
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    encoding: "utf8",
  });
  return JSON.parse(out) as { bin: string } | { problem: string };
}

/** Runs a program in a folder; throws with what it wrote when it fails. */
export async function runPython(bin: string, code: string, cwd: string): Promise<string> {
  const path = join(cwd, "program.py");
  await writeFile(path, code);
  const { status, stdout, stderr } = spawnSync(join(bin, "python"), [path], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`python ended with ${status}:\n${stderr}`);
  return stdout;
}
