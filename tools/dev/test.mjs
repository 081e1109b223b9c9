// `npm test`: installs what is missing, runs every check and every test, and closes with one line of counts.
// `npm run test:fast` leaves out the slow tests (`*.slow.test.ts`, notebooks), lint and the whole-workspace checks.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureInstalled, root, run } from "./workspace.mjs";

const fast = process.argv.includes("--fast");
const strict = process.env.CI === "true";
const npx = (...args) => ["npx", ["--no-install", ...args]];

await ensureInstalled();
process.env.NX_DAEMON ??= "false";
process.env.NX_NO_CLOUD ??= "true";
process.env.NX_TUI ??= "false";

const checks = [
  { name: "merge markers", command: ["node", ["tools/dev/conflict-markers.mjs"]] },
  { name: "format", command: npx("prettier", "--check", "--log-level=warn", ".") },
  {
    name: "types",
    command: npx("nx", "run-many", "-t", "typecheck", "--outputStyle=stream-without-prefixes"),
  },
  {
    name: "lint",
    command: npx("nx", "run-many", "-t", "lint", "--outputStyle=stream-without-prefixes"),
    slow: true,
  },
  { name: "project references", command: npx("nx", "sync:check"), slow: true },
  { name: "unused code", command: npx("knip", "--no-progress"), slow: true },
  { name: "API docs", command: ["node", ["tools/dev/docs.mjs"]], slow: true },
];

const counts = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
const skips = [];

for (const check of checks) {
  if (fast && check.slow) continue;
  console.log(`\n— ${check.name}`);
  const code = await run(...check.command);
  if (code === 130) process.exit(130);
  if (code === 0) counts.passed += 1;
  else {
    counts.failed += 1;
    failures.push(check.name);
  }
}

console.log("\n— tests");
// What starts the command starts what the type checker built of it: in a third of the time.
if (!failures.includes("types")) process.env.RESIDUA_BUILT = "1";
// Fast files share their modules; slow ones, which measure memory or start programs, have a process each.
for (const part of fast ? ["fast"] : ["fast", "slow"]) await runTests(part);
counts.skipped = skips.length;

for (const failure of failures) console.log(`failed: ${failure}`);
for (const [note, tests] of byNote(skips)) {
  const more = tests.length === 1 ? "" : ` and ${tests.length - 1} more`;
  console.log(`skipped: ${tests[0].name}${more} — ${note ?? "no reason given"}`);
}
// The only excuses: .ci/run asked for the model's weights or the native backend and did not get them; then their tests give this reason.
const fetched = ["RESIDUA_SMOLLM2", "RESIDUA_NATIVE", "RESIDUA_NATIVE_CUDA"];
const excuses = fetched.flatMap((name) =>
  process.env[name] ? [] : [process.env[`${name}_UNAVAILABLE`] ?? []].flat(),
);
const unexcused = skips.filter(({ note }) => !excuses.includes(note)).length;
if (strict && unexcused > 0) {
  console.log("With CI=true a skipped test is a failure: install what the lines above name.");
  counts.failed += unexcused;
  counts.skipped -= unexcused;
}
console.log(`\nworkspace: ${root.split(/[\\/]/).at(-1)}${fast ? " (fast)" : ""}`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 ? 0 : 1);

async function runTests(part) {
  const scratch = mkdtempSync(join(tmpdir(), "residua-test-"));
  const summaryFile = join(scratch, "summary.json");
  const code = await run(...npx("vitest", "run"), {
    env: { ...process.env, RESIDUA_TEST_SUMMARY: summaryFile, RESIDUA_TESTS: part },
  });
  if (code === 130) process.exit(130);
  try {
    const summary = JSON.parse(readFileSync(summaryFile, "utf8"));
    counts.passed += summary.passed;
    counts.failed += summary.failed.length;
    failures.push(...summary.failed);
    skips.push(...summary.skipped);
    // A run can fail with every test passed: an error outside tests.
    if (code !== 0 && summary.failed.length === 0) {
      counts.failed += 1;
      failures.push(`vitest ended with code ${code} (${part} tests)`);
    }
  } catch {
    counts.failed += 1;
    failures.push(`vitest wrote no summary of the ${part} tests (exit code ${code})`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function byNote(skipped) {
  const groups = new Map();
  for (const skip of skipped) groups.set(skip.note, [...(groups.get(skip.note) ?? []), skip]);
  return groups;
}
