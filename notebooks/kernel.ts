import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
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

/** The Python that has Jupyter: Debian's packages install for the system's own, which need not be the first on the path. */
export const python = process.platform === "linux" ? "/usr/bin/python3" : "python3";

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

/** A notebook as it is on disk, as far as it is read here. */
export interface Notebook {
  readonly cells: readonly {
    readonly cell_type: string;
    readonly source: string | readonly string[];
    readonly outputs?: readonly NotebookOutput[];
  }[];
}

export interface NotebookOutput {
  readonly output_type: string;
  readonly data?: Readonly<Record<string, string | readonly string[]>>;
}

/** The code cells of a notebook as one TypeScript module, for the type checker. */
export function notebookScript(notebook: Notebook): string {
  const cells = notebook.cells.filter((cell) => cell.cell_type === "code");
  return cells.map(({ source }) => `${typeof source === "string" ? source : source.join("")}\n`).join("\n");
}
