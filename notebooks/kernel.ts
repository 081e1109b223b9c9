import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the notebooks. */
export const here = dirname(fileURLToPath(import.meta.url));
export const root = dirname(here);
export const deno = join(root, "node_modules", ".bin", "deno");

/** What a program needs in its environment to load the packages' sources under Deno. */
export const denoEnvironment = {
  DENO_CONDITIONS: "@residua/source",
  NO_COLOR: "1",
  DENO_NO_UPDATE_CHECK: "1",
};

/** Writes the kernel's description into a folder of the workspace; returns the value for JUPYTER_PATH. */
export function writeKernel(): string {
  const jupyterPath = join(root, "node_modules", ".cache", "residua", "jupyter");
  const kernel = join(jupyterPath, "kernels", "deno");
  mkdirSync(kernel, { recursive: true });
  const description = {
    argv: [deno, "jupyter", "--kernel", "--conn", "{connection_file}"],
    display_name: "Deno (Residua)",
    language: "typescript",
    env: denoEnvironment,
  };
  writeFileSync(join(kernel, "kernel.json"), `${JSON.stringify(description, null, 2)}\n`);
  return jupyterPath;
}
