// Compiles the kernels to WebAssembly and writes them as a module. `--check` only compares.
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const folder = fileURLToPath(new URL("./", import.meta.url));
const target = fileURLToPath(new URL("../src/linalg/kernel/kernel-bytes.ts", import.meta.url));

/** The text of src/linalg/kernel/kernel-bytes.ts. */
export async function kernelModule() {
  const files = new Map();
  const { error, stderr } = await asc.main(
    ["index.ts", "--outFile", "kernels.wasm", "-O3", "--noAssert", "--runtime", "stub", "--enable", "simd"],
    {
      readFile: (name) => readFile(`${folder}${name}`, "utf8").catch(() => null),
      writeFile: (name, contents) => void files.set(name, contents),
      listFiles: () => [],
    },
  );
  if (error) throw new Error(String(stderr), { cause: error });
  const bytes = Buffer.from(files.get("kernels.wasm")).toString("base64");
  const lines = bytes.match(/.{1,110}/g).map((line) => `  "${line}"`);
  return `/** The compiled kernels of \`kernels/\`, in base64. */\nexport const kernelBytes =\n${lines.join(" +\n")};\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await kernelModule();
  if (!process.argv.includes("--check")) await writeFile(target, text);
  else if (text !== (await readFile(target, "utf8")))
    throw new Error("kernel-bytes.ts is not what kernels/ compiles to");
}
