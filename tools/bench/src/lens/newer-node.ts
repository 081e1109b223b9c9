import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const version = "22.23.3";
const folder = fileURLToPath(new URL(`../../../../.cache/bench-node-${version}/`, import.meta.url));

/** A Node that has zstd of its own: this one from 22.15 on, else one that npm installs into a cache. */
export function newerNode(): string {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 15)) return process.execPath;
  // The package that has the program; it runs nothing when it is installed.
  const name = `node-${process.platform}-${process.arch}`;
  const node = join(folder, "node_modules", name, "bin", "node");
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  console.error(`Installing Node ${version} into a cache (once) …`);
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", `${name}@${version}`], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0 || !existsSync(node))
    throw new Error(`${name} ${version} could not be installed with npm`);
  return node;
}
