#!/usr/bin/env node
// In a clone the command runs from the TypeScript sources (through tsx), or, with RESIDUA_BUILT=1, from what was built of them; an
// installed package runs from dist.
import { existsSync } from "node:fs";
import { register } from "node:module";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`residua: Node ${process.versions.node} is too old. Residua needs Node 20.19 or newer.`);
  process.exit(1);
}

const source = new URL("../src/main.ts", import.meta.url);
if (existsSync(source) && process.env.RESIDUA_BUILT !== "1") {
  const tsx = await import("tsx/esm/api");
  tsx.register();
  register("./source-condition.js", import.meta.url);
  await import(source.href);
} else {
  await import(new URL("../dist/main.js", import.meta.url).href);
}
