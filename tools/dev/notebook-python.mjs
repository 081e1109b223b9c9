import { madeEnvironment, pythonEnvironment } from "./python-environment.mjs";

/** What notebook 07 imports. `gguf` is llama.cpp's own reader. */
const requirements = [
  "numpy==2.4.6",
  "pandas==3.1.1",
  "pyarrow==26.0.1",
  "safetensors==0.8.0",
  "gguf==0.19.0",
];

/** The environment with these packages, made if need be: `{ bin }` or `{ problem }`. */
export const notebookPython = () => pythonEnvironment(requirements);

/** The same where it was made before: `{ bin }` or undefined. */
export const madeNotebookPython = () => madeEnvironment(requirements);
