// A virtual environment in .cache/ that holds exactly some packages of PyPI, made once.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./workspace.mjs";

/** The `bin` folder of an environment that was made before: `{ bin }` or undefined. */
export function madeEnvironment(requirements) {
  const { bin, complete } = placesOf(requirements);
  return existsSync(complete) ? { bin } : undefined;
}

/** The `bin` folder of the environment, or the reason why it could not be made: `{ bin }` or `{ problem }`. */
export function pythonEnvironment(requirements) {
  const { folder, bin, complete } = placesOf(requirements);
  if (existsSync(complete)) return { bin };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(root, ".cache"), { recursive: true });
  console.error(`Installing ${requirements.join(", ")} into a virtual environment (once) …`);
  const steps = [
    ["python3", ["-m", "venv", folder], "python3 -m venv failed (Debian: apt-get install python3-venv)"],
    [
      join(bin, "python"),
      ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...requirements],
      `PyPI did not give ${requirements.join(", ")}`,
    ],
  ];
  for (const [command, args, problem] of steps) {
    const { status, error } = spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0) return { problem: error ? `${problem}: ${error.message}` : problem };
  }
  writeFileSync(complete, "");
  return { bin };
}

function placesOf(requirements) {
  const key = createHash("sha256").update(requirements.join("\n")).digest("hex").slice(0, 12);
  const folder = join(root, ".cache", `python-${key}`);
  return { folder, bin: join(folder, "bin"), complete: join(folder, "complete") };
}
