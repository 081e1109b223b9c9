// `npm run mutants [-- ID…]`: takes out each guard of guards/ in turn and checks that its test fails without it, and passes with it.
import { spawnSync } from "node:child_process";
import { ensureInstalled, root } from "./workspace.mjs";
import { guards } from "./guards/index.mjs";

await ensureInstalled();

function runTest(guard, mutant) {
  const args = ["--no-install", "vitest", "run", guard.test, ...(guard.name ? ["-t", guard.name] : [])];
  // Colours would stand between the words that are looked for below.
  const env = { ...process.env, RESIDUA_MUTANT: mutant, NO_COLOR: "1", FORCE_COLOR: "0" };
  const result = spawnSync("npx", args, { cwd: root, env, encoding: "utf8" });
  return { passed: result.status === 0, output: `${result.stdout}${result.stderr}` };
}

const named = process.argv.slice(2);
const chosen = named.length > 0 ? guards.filter(({ id }) => named.includes(id)) : guards;
let survived = 0;
for (const guard of chosen) {
  const whole = runTest(guard, "");
  const without = runTest(guard, guard.id);
  const missing = without.output.includes("no longer holds");
  const caught = whole.passed && !without.passed && !missing && /AssertionError|Error:/.test(without.output);
  if (!caught) survived += 1;
  const verdict = caught
    ? "caught"
    : missing
      ? "guard not found"
      : whole.passed
        ? "SURVIVED"
        : "test fails anyway";
  console.log(`${verdict.padEnd(16)} ${guard.id.padEnd(24)} ${guard.file} (${guard.test})`);
}
console.log(`${chosen.length - survived} passed, ${survived} failed`);
process.exit(survived === 0 ? 0 : 1);
