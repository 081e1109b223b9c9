import { ResiduaError } from "@residua/lens";
import { chmod, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { NativeFile } from "./native-recipe.ts";
import { runTool } from "./native-tools.ts";

const addon = "tfjs_binding.node";
const nodePackage = join("node_modules", "@tensorflow", "tfjs-node-gpu");

/** Python reads the archives: it is there for pip, and its zipfile takes single members and archives over 2 GiB. */
const unzip = `
import sys, zipfile
archive, to, *wanted = sys.argv[1:]
with zipfile.ZipFile(archive) as file:
    file.extractall(to, [name for name in file.namelist() if name.startswith(tuple(wanted))])
`;

/** Unpacks a fetched file below an installation's folder; again and again with the same result. */
export async function unpackNativeFile(
  archive: string,
  { to, members }: NativeFile,
  folder: string,
  signal?: AbortSignal,
): Promise<void> {
  if (members !== undefined) {
    await runTool("python3", ["-c", unzip, archive, folder, ...members], { signal });
    return;
  }
  const target = join(folder, to as string);
  const draft = join(folder, "build", "unpacked");
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  await runTool("python3", ["-m", "tarfile", "-e", archive, draft], { signal });
  await rm(target, { recursive: true, force: true });
  await mkdir(join(target, ".."), { recursive: true });
  // npm packs everything below `package`.
  await rename(join(draft, "package"), target);
}

/** In place of the tfjs packages that the native one asks for: whoever loads it has put his own there. */
const stub = `// Residua gives its own tfjs here, so that both share one engine.
module.exports = globalThis[Symbol.for("residua.tfjs")];
`;

/** What no archive has: the two packages that lead to the caller's tfjs, and bits that zipfile does not keep. */
export async function completeNativeFolder(folder: string): Promise<void> {
  for (const name of ["tfjs", "tfjs-core"]) {
    const at = join(folder, "node_modules", "@tensorflow", name);
    await mkdir(at, { recursive: true });
    await writeFile(join(at, "index.js"), stub);
  }
  await writeFile(join(folder, "package.json"), `${JSON.stringify({ private: true })}\n`);
  const programs = join(folder, "nvidia", "cuda_nvcc", "bin");
  for (const name of await readdir(programs).catch(() => [])) await chmod(join(programs, name), 0o755);
}

/** The compiler's arguments: what the package's own binding.gyp says for Linux, with libtensorflow as the wheel names it. */
export function compileArguments(): string[] {
  const sources = ["tfjs_backend.cc", "tfjs_binding.cc"].map((name) => join(nodePackage, "binding", name));
  const include = [join("build", "node-api-headers", "include"), join("tensorflow", "include"), nodePackage];
  return [
    ...["-std=c++17", "-O3", "-fPIC", "-shared", "-DNAPI_VERSION=8"],
    ...include.flatMap((path) => ["-I", path]),
    ...sources,
    ...["-L", "tensorflow", "-l:libtensorflow_cc.so.2", "-l:libtensorflow_framework.so.2"],
    // The wheel's layout stays: libtensorflow looks for NVIDIA's libraries in ../nvidia.
    "-Wl,-rpath,$ORIGIN/tensorflow",
    ...["-o", join("build", addon)],
  ];
}

/** Compiles the addon. Throws ResiduaError `backend_build_failed`. */
export async function compileAddon(folder: string, signal?: AbortSignal): Promise<void> {
  await mkdir(join(folder, "build"), { recursive: true });
  try {
    await runTool("g++", compileArguments(), { cwd: folder, signal });
    await rename(join(folder, "build", addon), join(folder, addon));
  } catch (error) {
    signal?.throwIfAborted();
    const message = `the addon did not compile: ${(error as Error).message}. It needs g++ with C++17 on a system with glibc 2.17 or newer.`;
    throw new ResiduaError("backend_build_failed", message, { folder });
  }
}

/** Loads the addon in a process of its own, where a crash harms nobody, and multiplies: prints whether a GPU computes. */
const trial = `
const binding = require("./${addon}");
const identity = binding.createTensor([2, 2], binding.TF_FLOAT, new Float32Array([0, 1, 1, 0]));
const values = binding.createTensor([2, 2], binding.TF_FLOAT, new Float32Array([1, 2, 3, 4]));
const attributes = [{ name: "T", type: binding.TF_ATTR_TYPE, value: binding.TF_FLOAT }];
const [product] = binding.executeOp("BatchMatMulV2", attributes, [identity, values], 1);
const found = Array.from(binding.tensorDataSync(product.id)).join();
if (found !== "3,4,1,2") throw new Error("a product gave " + found + " in place of 3,4,1,2");
`;

/** Throws ResiduaError `backend_build_failed` where the new addon does not load or computes wrongly. */
export async function tryAddon(folder: string, signal?: AbortSignal): Promise<void> {
  const env = { ...process.env, TF_CPP_MIN_LOG_LEVEL: "2" };
  const options = { cwd: folder, env, ...(signal && { signal }) };
  try {
    await promisify(execFile)(process.execPath, ["-e", trial], options);
  } catch (error) {
    signal?.throwIfAborted();
    const text =
      (error as { stderr?: string }).stderr?.match(/^.*Error: .*$/m)?.[0] ?? (error as Error).message;
    throw new ResiduaError("backend_build_failed", `the addon was built and does not run: ${text}`, {
      folder,
    });
  }
}
