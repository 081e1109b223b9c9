import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Gpu, GpuAdapter, GpuAdapterInfo } from "./webgpu-types.ts";

/** An adapter of this machine, and whether it is a program that only acts as a GPU. */
export interface FoundAdapter {
  adapter: GpuAdapter;
  software: boolean;
  /** Vendor and name as the driver gives them. */
  name: string;
  /** Whose WebGPU it is. */
  through: string;
  /** Puts WebGPU where tfjs's backend looks for it: in globals, as in a browser. */
  install: () => void;
}

interface OpenGpu {
  gpu: Gpu;
  through: string;
  install: () => void;
}

interface Dawn {
  create: (options: readonly string[]) => Gpu;
  globals: Record<string, unknown>;
}

const dawnPackage = "webgpu";
let dawn: Gpu | undefined;

/** Finds the fastest adapter: through the runtime's own WebGPU (Deno), else through Dawn (npm package `webgpu`, optional). */
export async function findAdapter(asked: boolean): Promise<FoundAdapter | { reason: string }> {
  // Without a device file only software adapters can be there: neither Dawn nor a driver needs loading to say so.
  if (!asked && !hasGpuFile()) {
    return {
      reason: "no GPU is there: no /dev/dri, /dev/nvidia0 or /dev/dxg (a software adapter must be asked for)",
    };
  }
  const opened = ownGpu() ?? (await dawnGpu());
  if ("reason" in opened) return opened;
  const { gpu, through, install } = opened;
  const adapter = await quietly(() => gpu.requestAdapter({ powerPreference: "high-performance" }));
  if (!adapter) return { reason: `${through} found no adapter: no driver here that it can use` };
  return { adapter, software: isSoftware(adapter.info), name: nameOf(adapter.info), through, install };
}

/** Node before 21 has no navigator. */
function ownGpu(): OpenGpu | undefined {
  const { navigator } = globalThis as { navigator?: { gpu?: Gpu } };
  if (!navigator?.gpu) return undefined;
  return { gpu: navigator.gpu, through: "Deno" in globalThis ? "Deno" : "globals", install: () => undefined };
}

/** The package's name is a variable: it need not be there when this is compiled. */
async function dawnGpu(): Promise<OpenGpu | { reason: string }> {
  try {
    const { create, globals } = (await import(dawnPackage)) as Dawn;
    dawn ??= create([]);
    const gpu = dawn;
    return { gpu, through: "Dawn", install: () => installGlobals(gpu, globals) };
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    const line = (message ?? String(error)).split("\n")[0] as string;
    const absent = code === "ERR_MODULE_NOT_FOUND" || line.startsWith(`Could not resolve "${dawnPackage}"`);
    return {
      reason: absent
        ? `npm package ${dawnPackage} (Dawn) is not installed (optional)`
        : `npm package ${dawnPackage} (Dawn) does not load: ${line}`,
    };
  }
}

function installGlobals(gpu: Gpu, globals: Record<string, unknown>): void {
  Object.assign(globalThis, globals);
  if (!("navigator" in globalThis))
    Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
  Object.defineProperty(globalThis.navigator, "gpu", { value: gpu, configurable: true });
}

/** Drivers that run on the CPU. WebGPU's own word for them is not set by every runtime. */
export function isSoftware(info: GpuAdapterInfo): boolean {
  const words = `${info.vendor} ${info.architecture} ${info.device} ${info.description}`;
  return (
    info.isFallbackAdapter === true || /swiftshader|llvmpipe|lavapipe|softpipe|basic render|warp/i.test(words)
  );
}

/** Deno gives PCI numbers for vendor and device, and the name as description. */
export function nameOf({ vendor, architecture, device, description }: GpuAdapterInfo): string {
  const words = [vendor, architecture, description || device].filter(
    (word) => word !== "" && !/^\d+$/.test(word),
  );
  return words.join(" ") || "an adapter without a name";
}

function hasGpuFile(): boolean {
  if (process.platform !== "linux") return true;
  return ["/dev/dri", "/dev/nvidia0", "/dev/dxg"].some((path) => existsSync(path));
}

/** Mesa's drivers complain on stderr where there is no desktop session. */
async function quietly<T>(ask: () => Promise<T>): Promise<T> {
  if (process.platform !== "linux" || process.env["XDG_RUNTIME_DIR"] !== undefined) return await ask();
  process.env["XDG_RUNTIME_DIR"] = tmpdir();
  try {
    return await ask();
  } finally {
    delete process.env["XDG_RUNTIME_DIR"];
  }
}
