import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The folder of SmolLM2-135M: what RESIDUA_SMOLLM2 names, else the one that `npm run smollm2` makes. */
export function smolLm2Folder(): string {
  const named = process.env["RESIDUA_SMOLLM2"];
  if (named) return named;
  const script = fileURLToPath(new URL("../../dev/smollm2.mjs", import.meta.url));
  const printed = execFileSync(process.execPath, [script], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return printed.trim();
}
