// What every script of this folder needs: the root, the Node version, and an installed workspace. No dependencies.
import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { register } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Runs a program in the root with inherited output; resolves to its exit code (130 after an interrupt). */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit", ...options });
    let interrupted = false;
    const forward = (signal) => {
      interrupted ||= signal === "SIGINT";
      child.kill(signal);
    };
    process.on("SIGINT", forward).on("SIGTERM", forward);
    const settle = (code) => {
      process.off("SIGINT", forward).off("SIGTERM", forward);
      resolve(code);
    };
    child.on("error", (error) => {
      console.error(`${command}: ${error.message}`);
      settle(1);
    });
    child.on("exit", (code, signal) => {
      if (interrupted || signal === "SIGINT") return settle(130);
      // Nx also ends with 130 when one of its tasks has failed.
      settle(code === 130 ? 1 : (code ?? 1));
    });
  });
}

/** Installs the locked dependencies when node_modules is missing or older than the lock file. */
export async function ensureInstalled() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Node ${process.versions.node} is too old: Residua needs Node 20.19 or newer.`);
    process.exit(1);
  }
  const installed = join(root, "node_modules", ".package-lock.json");
  const lock = join(root, "package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.error("Installing the locked dependencies (npm ci) …");
  const code = await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    stdio: ["ignore", process.stderr, process.stderr],
    shell: process.platform === "win32",
  });
  if (code !== 0) {
    console.error(
      `npm ci ended with code ${code}. Check that the package registry can be reached, then run the command again.`,
    );
    process.exit(code);
  }
}

/** Lets this process import TypeScript and the packages' sources. Needs an installed workspace. */
export async function registerSources() {
  const tsx = await import("tsx/esm/api");
  tsx.register();
  register("../cli/bin/source-condition.js", import.meta.url);
}

/** Runs a TypeScript file of the workspace in this process, with the packages' sources. Needs an installed workspace. */
export async function runSource(file) {
  await registerSources();
  await import(pathToFileURL(join(root, file)).href);
}
