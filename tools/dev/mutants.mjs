// `npm run mutants [-- ID…]`: takes out each guard of guards/ in turn and checks that its test fails without it, and passes with it.
// `--after-tests` leaves out the second check: `npm test` has just passed, as in .ci/run.
import { fork, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { ensureInstalled, root } from "./workspace.mjs";
import { guards } from "./guards/index.mjs";

await ensureInstalled();

/** Compiled modules, which all of these processes share. */
const modules = mkdtempSync(join(tmpdir(), "residua-modules-"));
process.on("exit", () => rmSync(modules, { recursive: true, force: true }));
const environment = { ...process.env, RESIDUA_MUTANT: "", RESIDUA_MODULE_CACHE: modules };

async function vitest(args, part) {
  const env = { ...environment, RESIDUA_TESTS: part };
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(process.execPath, [program, "run", ...args], { cwd: root, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  const status = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  return { passed: status === 0, output };
}

/** The tests of all these guards with nothing taken out: what became of each test, by file. */
async function testWhole(chosen) {
  const isSlow = ({ test }) => test.endsWith(".slow.test.ts");
  const parts = [
    await testPart(
      "fast",
      chosen.filter((guard) => !isSlow(guard)),
    ),
    await testPart("slow", chosen.filter(isSlow)),
  ];
  return {
    byFile: new Map(parts.flatMap(({ byFile }) => [...byFile])),
    broken: parts.some(({ broken }) => broken),
  };
}

async function testPart(part, chosen) {
  if (chosen.length === 0) return { byFile: new Map(), broken: false };
  const folder = mkdtempSync(join(tmpdir(), "residua-mutants-"));
  try {
    const report = join(folder, "report.json");
    const files = [...new Set(chosen.map(({ test }) => test))];
    const names = chosen.map(({ name }) => name);
    const only = names.includes(undefined)
      ? []
      : ["-t", [...new Set(names)].map((name) => `(?:${name})`).join("|")];
    const run = await vitest([...files, ...only, "--reporter=json", `--outputFile=${report}`], part);
    const { testResults = [] } = readReport(report, run.output);
    const failed = testResults.some(({ status }) => status !== "passed");
    // What failed outside of every test is the fault of no file that could be named.
    return { byFile: new Map(testResults.map((file) => [file.name, file])), broken: !run.passed && !failed };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readReport(file, output) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    console.error(output);
    throw new Error("vitest wrote no report");
  }
}

/** Whether the guard's tests are there, and pass with it. */
function verdictWhole({ byFile, broken }, { test, name }) {
  const { assertionResults = [], message = "" } = byFile.get(join(root, test)) ?? {};
  const run = assertionResults.filter(
    ({ fullName, status }) =>
      status !== "skipped" && status !== "pending" && (!name || new RegExp(name).test(fullName)),
  );
  if (run.length === 0) return message === "" ? "test not found" : "test fails anyway";
  return broken || run.some(({ status }) => status !== "passed") ? "test fails anyway" : "passes";
}

/** Tries guards in a process of its own, one at a time. Nothing is written into the sources, so that several lanes can run. */
function lane() {
  const child = fork(join(root, "tools", "dev", "mutant-lane.mjs"), {
    cwd: root,
    env: environment,
    silent: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (output = (output + text).slice(-20_000)));
  const answer = () =>
    new Promise((resolve, reject) => {
      const ended = (code) => reject(new Error(`a lane ended with ${code}:\n${output}`));
      child.once("message", (message) => {
        child.off("exit", ended);
        resolve(message);
      });
      child.once("exit", ended);
    });
  const ready = answer();
  return {
    async verdictWithout({ id }) {
      await ready;
      const answered = answer();
      child.send(id);
      const { verdict, output: told } = await answered;
      if (told) console.error(told);
      return verdict;
    },
    close: () => child.disconnect(),
  };
}

const words = process.argv.slice(2);
const afterTests = words.includes("--after-tests");
const named = words.filter((word) => word !== "--after-tests");
const unknown = named.filter((id) => !guards.some((guard) => guard.id === id));
if (unknown.length > 0) {
  console.error(`no guard has the id ${unknown.join(", ")}; known: ${guards.map(({ id }) => id).join(", ")}`);
  process.exit(1);
}
const chosen = named.length > 0 ? guards.filter(({ id }) => named.includes(id)) : guards;
const whole = afterTests || chosen.length === 0 ? undefined : await testWhole(chosen);
let survived = 0;
/** Guards of one package after the other: a lane loads a package once. */
const waiting = chosen.toSorted((a, b) => (a.test < b.test ? -1 : 1)).values();
async function tryGuards() {
  const { verdictWithout, close } = lane();
  for (const guard of waiting) {
    const first = whole ? verdictWhole(whole, guard) : "passes";
    const verdict = first === "passes" ? await verdictWithout(guard) : first;
    if (verdict !== "caught") survived += 1;
    console.log(`${verdict.padEnd(16)} ${guard.id.padEnd(24)} ${guard.file} (${guard.test})`);
  }
  close();
}
await Promise.all(Array.from({ length: Math.min(chosen.length, availableParallelism()) }, tryGuards));
console.log(`${chosen.length - survived} passed, ${survived} failed`);
process.exit(survived === 0 ? 0 : 1);
