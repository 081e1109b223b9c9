import { spawnSync } from "node:child_process";
import process from "node:process";

/** A Python that has Jupyter's nbclient, which executes notebooks; undefined where none has. */
export function pythonWithJupyter(): string | undefined {
  // Debian's packages install for the system's own Python, which need not be the first on the path.
  const candidates = [process.env["PYTHON"], "python3", "/usr/bin/python3", "python"];
  return candidates.find((python) => python && succeeds(python, ["-c", "import nbclient, jupyter_client"]));
}

/** The command that opens notebooks in a browser: JupyterLab's, else that of the older Notebook; undefined where there is neither. */
export function jupyterCommand(): readonly ["jupyter", "lab" | "notebook"] | undefined {
  for (const program of ["lab", "notebook"] as const) {
    if (succeeds("jupyter", [program, "--version"])) return ["jupyter", program];
  }
  return undefined;
}

export const nbclientAdvice =
  "Executing notebooks needs Jupyter's nbclient: apt-get install python3-nbclient jupyter-client (Debian), or " +
  "python3 -m pip install nbclient jupyter-client ipykernel in an environment of yours (PYTHON=PATH names its Python).";

export const jupyterAdvice =
  "Opening the notebooks needs JupyterLab or Jupyter Notebook, and neither was found. One of these will do:\n" +
  "  python3 -m pip install jupyterlab        in an environment of yours\n" +
  "  apt-get install jupyter-notebook         Debian's\n" +
  "Then run npm run notebooks again. Without Jupyter:\n" +
  "  npm run notebooks -- --script 01         the code of a notebook as a program, and the command that runs it\n" +
  "The outputs are in the files already: any viewer of .ipynb files shows them.";

function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}
