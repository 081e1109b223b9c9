import * as tf from "@tensorflow/tfjs";
import util from "node:util";

/** What the native package's backend says of itself; it reports a GPU only where one computes. */
interface NativeBackend {
  isUsingGpuDevice?: boolean;
  isGPUPackage?: boolean;
}

export type NativeOutcome = { usingGpu: boolean } | { reason: string };

const nativePackage = "@tensorflow/tfjs-node-gpu";

/**
 * Loads the native backend and makes it the active one. It is an optional peer dependency, so its name is a variable:
 * a literal import would not compile where it is absent.
 */
export async function loadNative(specifier: string = nativePackage): Promise<NativeOutcome> {
  addRemovedUtil();
  // TensorFlow writes its build notes to stderr otherwise; a level that the user has set stays.
  process.env["TF_CPP_MIN_LOG_LEVEL"] ??= "1";
  try {
    await import(specifier);
  } catch (error) {
    return { reason: whyNotLoaded(error, specifier) };
  }
  if (!tf.engine().backendNames().includes("tensorflow")) {
    return {
      reason: "loaded, but it registered no backend with this copy of tfjs-core (versions must be equal)",
    };
  }
  if (!(await tf.setBackend("tensorflow"))) return { reason: "loaded, but its backend did not start" };
  return { usingGpu: (tf.backend() as NativeBackend).isUsingGpuDevice === true };
}

/** Node 23 removed two functions of `util` that tfjs-node 4.22.0 calls in every operation. */
function addRemovedUtil(): void {
  const functions = util as unknown as Record<string, unknown>;
  functions["isNullOrUndefined"] ??= (value: unknown) => value === null || value === undefined;
  functions["isArray"] ??= Array.isArray;
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
