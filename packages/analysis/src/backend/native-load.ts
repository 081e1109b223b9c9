import type * as union from "@tensorflow/tfjs";
import { createRequire } from "node:module";
import { join } from "node:path";
import util from "node:util";
import { standingNatives } from "./native-place.ts";
import type { NativeVariant } from "./native-recipe.ts";

/** What is used of the caller's tfjs: the union package or `@tensorflow/tfjs-core`. */
export type Tfjs = Pick<typeof union, "findBackend" | "getBackend" | "registerBackend" | "setBackend">;

/** The native package's backend, of what it says and of what its addon takes; it reports a GPU only where one computes. */
export interface NativeBackend {
  readonly isUsingGpuDevice: boolean;
  readonly binding: NativeBinding;
}

/** The addon's own functions on tensors by number; shapes and types as TensorFlow has them. */
export interface NativeBinding {
  readonly TF_FLOAT: number;
  readonly TF_ATTR_TYPE: number;
  readonly TF_ATTR_BOOL: number;
  createTensor(shape: readonly number[], dtype: number, values: Float32Array): number;
  deleteTensor(id: number): void;
  tensorDataSync(id: number): Float32Array;
  executeOp(
    name: string,
    attributes: readonly { name: string; type: number; value: number | boolean }[],
    inputs: readonly number[],
    outputs: number,
  ): { id: number }[];
}

/** `from` is the peer dependency or a variant in the cache folder. `whyNoGpu` says why only the CPU computes; null with a GPU. */
export interface LoadedNative {
  backend: NativeBackend;
  from: "package" | NativeVariant;
  whyNoGpu: string | null;
}

export type NativeOutcome = LoadedNative | { reason: string };

const nativePackage = "@tensorflow/tfjs-node-gpu";
const backendName = "tensorflow";
/** Where an installation in the cache folder looks for the tfjs of its caller, so that both are one engine. */
const tfjsKey = Symbol.for("residua.tfjs");
let loaded: LoadedNative | undefined;

/**
 * Loads the native backend and registers it as `tensorflow` with the caller's tfjs; the active backend stays. Taken are the
 * package, where it is installed (an optional peer dependency), then what `residua backend install` has put into the cache folder.
 */
export async function loadNative(
  tfjs: Tfjs,
  { specifier = nativePackage, cache }: { specifier?: string; cache?: string } = {},
): Promise<NativeOutcome> {
  if (loaded !== undefined) return loaded;
  ownUtil();
  // TensorFlow writes its build notes to stderr otherwise; a level that the user has set stays.
  process.env["TF_CPP_MIN_LOG_LEVEL"] ??= "1";
  const { installed, damaged } = standingNatives(cache);
  const reasons = damaged.map(
    ({ variant, damage }) =>
      `the ${variant} variant in the cache folder: ${damage}; \`residua backend install\` builds it anew`,
  );
  const sources = [
    { from: "package" as const, load: () => loadPackage(tfjs, specifier) },
    ...installed.map(({ variant, folder }) => ({
      from: variant,
      load: () => Promise.resolve(loadFolder(tfjs, folder)),
    })),
  ];
  for (const { from, load } of sources) {
    try {
      const backend = await load();
      if (backend !== undefined) return (loaded = { backend, from, whyNoGpu: whyNoGpu(backend, from) });
      reasons.push(
        "loaded, but it registered no backend with this copy of tfjs-core (versions must be equal)",
      );
    } catch (error) {
      const why = whyNotLoaded(error, specifier);
      reasons.push(from === "package" ? why : `the ${from} variant in the cache folder: ${why}`);
    }
  }
  if (sources.length === 1 && damaged.length === 0 && specifier === nativePackage) {
    reasons.push("none was built by `residua backend install`");
  }
  return { reason: reasons.join("; ") };
}

/** Its name is a variable: a literal import would not compile where the package is absent. */
async function loadPackage(tfjs: Tfjs, specifier: string): Promise<NativeBackend | undefined> {
  const before = tfjs.getBackend() as string | undefined;
  await import(specifier);
  // The package makes itself the active backend.
  if (before !== undefined && before !== tfjs.getBackend()) await tfjs.setBackend(before);
  return registered(tfjs);
}

function loadFolder(tfjs: Tfjs, folder: string): NativeBackend | undefined {
  (globalThis as Record<symbol, unknown>)[tfjsKey] ??= tfjs;
  const require = createRequire(join(folder, "package.json"));
  require(`${nativePackage}/dist/register_all_kernels.js`);
  const { NodeJSKernelBackend } = require(`${nativePackage}/dist/nodejs_kernel_backend.js`) as {
    NodeJSKernelBackend: new (binding: unknown, packageName: string) => ReturnType<Tfjs["findBackend"]>;
  };
  const backend = new NodeJSKernelBackend(require(join(folder, "tfjs_binding.node")), nativePackage);
  tfjs.registerBackend(backendName, () => backend, 3);
  return registered(tfjs);
}

function registered(tfjs: Tfjs): NativeBackend | undefined {
  return (tfjs.findBackend(backendName) as unknown as NativeBackend | null) ?? undefined;
}

function whyNoGpu(backend: NativeBackend, from: LoadedNative["from"]): string | null {
  if (backend.isUsingGpuDevice) return null;
  if (from === "cpu")
    return "the CPU variant is installed; `residua backend install --cuda` brings the one for GPUs";
  return "loaded, but no GPU computes (isUsingGpuDevice is false); it needs an NVIDIA driver and a GPU";
}

/** Two functions of `util` that tfjs-node 4.22.0 calls in every operation: Node 22 warns of them, Node 23 has them no more. */
function ownUtil(): void {
  const functions = util as unknown as Record<string, unknown>;
  functions["isNullOrUndefined"] = (value: unknown) => value === null || value === undefined;
  functions["isArray"] = Array.isArray;
}

/** The package fails in three ways: absent, there without its addon, and an addon that does not link. */
function whyNotLoaded(error: unknown, specifier: string): string {
  const { code, message } = error as { code?: string; message?: string };
  const line = (message ?? String(error)).split("\n")[0] as string;
  // Vite puts a module that throws this in the place of an optional peer dependency.
  const bundled = line.startsWith(`Could not resolve "${specifier}"`);
  if (code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND" || bundled) {
    return line.includes(specifier)
      ? `${specifier} is not installed (optional)`
      : `incomplete installation: ${line}`;
  }
  if (code === "ERR_DLOPEN_FAILED") return `its native addon does not load: ${line}`;
  if (/native addon module/i.test(message ?? ""))
    return "installed without its native addon (its install script did not run)";
  return `does not load: ${line}`;
}
