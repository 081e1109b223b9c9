import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("../../../../", import.meta.url));
const drivers = "/usr/share/vulkan/icd.d";
const swiftshader = "/usr/lib/chromium/vk_swiftshader_icd.json";

/** A runtime with a Vulkan driver that runs on the CPU: WebGPU where there is no GPU. */
export interface SoftwareVulkan {
  name: string;
  /** What is not installed, and how it would be. */
  missing: string | undefined;
  /** Runs a TypeScript file of this folder and gives what it printed. */
  run(script: string, words: readonly string[]): Promise<string>;
}

function lavapipe(): string | undefined {
  if (!existsSync(drivers)) return undefined;
  const file = readdirSync(drivers).find((name) => name.startsWith("lvp_icd"));
  return file && join(drivers, file);
}

async function start(program: string, words: readonly string[], driver: string): Promise<string> {
  const env = { ...process.env, VK_ICD_FILENAMES: driver, DENO_CONDITIONS: "@residua/source" };
  const { stdout } = await execute(program, words, { env, maxBuffer: 64 << 20 });
  return stdout;
}

const here = (script: string) => fileURLToPath(new URL(script, import.meta.url));

/** Dawn refuses Debian 12's lavapipe, so Node has SwiftShader. */
export const nodeWithSwiftShader: SoftwareVulkan = {
  name: "Dawn in Node on SwiftShader",
  missing: existsSync(swiftshader)
    ? undefined
    : "SwiftShader's Vulkan driver is missing: apt-get install chromium",
  run: (script, words) =>
    start(
      process.execPath,
      ["--import", "tsx", "--conditions=@residua/source", here(script), ...words],
      swiftshader,
    ),
};

export const denoWithLavapipe: SoftwareVulkan = {
  name: "Deno on lavapipe",
  missing: lavapipe() ? undefined : "Mesa's Vulkan drivers are missing: apt-get install mesa-vulkan-drivers",
  run: (script, words) =>
    start(
      join(root, "node_modules/.bin/deno"),
      ["run", "-A", "--unstable-webgpu", here(script), ...words],
      lavapipe()!,
    ),
};
