// `npm run native`: builds the native tfjs backend (residua backend install) into .cache/native-cpu, as the tests of that
// backend use it, and prints the folder: `RESIDUA_NATIVE=$(npm run --silent native) npm test`. `npm run native -- cuda` builds the
// variant with CUDA into .cache/native-cuda (RESIDUA_NATIVE_CUDA). Exit code 75: its files could not be fetched, or it has no room.
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { ensureInstalled, registerSources, root } from "./workspace.mjs";

const unavailable = 75;
const variant = process.argv[2] ?? "cpu";
if (variant !== "cpu" && variant !== "cuda") fail(2, `variant ${variant} is not known; allowed: cpu, cuda`);
const cache = join(root, ".cache", `native-${variant}`);

await ensureInstalled();
await registerSources();
const { installNative, planNative } = await import("../../packages/analysis/src/backend/native-backend.ts");
const { installed, fetchBytes, diskBytes } = planNative({ variant, cache });
const { bavail, bsize } = await statfs(root);
const needed = fetchBytes + diskBytes + 2e9;
if (!installed && bavail * bsize < needed) {
  fail(unavailable, `the variant ${variant} needs ${Math.round(needed / 1e9)} GB of free disk`);
}
try {
  const onStep = (step) => console.error(`native backend (${variant}): ${step} …`);
  await installNative({ variant, cache, onStep });
} catch (error) {
  fail(error.code === "backend_download_failed" ? unavailable : 1, error.message);
}
console.log(cache);

function fail(code, message) {
  console.error(`native: ${message}`);
  process.exit(code);
}
