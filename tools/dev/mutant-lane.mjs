// A process that tries one guard after the other for mutants.mjs: what is loaded and compiled for one serves the next.
import { join } from "node:path";
import { createVitest } from "vitest/node";
import { guards } from "./guards/index.mjs";
import { root } from "./workspace.mjs";

/** One for each package. */
const runners = new Map();
let output = "";

process.on("message", async (id) => {
  try {
    process.send({ id, verdict: await verdictWithout(guards.find((guard) => guard.id === id)) });
  } catch (error) {
    process.send({ id, verdict: "BROKEN", output: `${error.stack}\n${output}` });
  }
});
process.on("disconnect", () => process.exit());
process.send({});

/** What becomes of the guard's tests without it. Only their package's set-up is loaded. */
async function verdictWithout({ id, file, test, name }) {
  const at = test.indexOf("/test/");
  const runner = await runnerOf(test.slice(0, at));
  output = "";
  process.env.RESIDUA_MUTANT = id;
  runner.invalidateFile(join(root, file));
  try {
    if (name) runner.setGlobalTestNamePattern(name);
    else runner.resetGlobalTestNamePattern();
    const specifications = await runner.globTestSpecifications([join(root, test)]);
    const { testModules, unhandledErrors } = await runner.runTestSpecifications(specifications);
    // A runner remembers the files of earlier guards.
    const [module] = testModules.filter(({ moduleId }) => moduleId === join(root, test));
    if (module === undefined) throw new Error(`${test} was not run`);
    const results = [...module.children.allTests()].map((one) => one.result());
    const errors = [
      ...unhandledErrors,
      ...module.errors(),
      ...results.flatMap((result) => (result.state === "failed" ? result.errors : [])),
    ].map((error) => String(error.message ?? error));
    if (errors.some((error) => error.includes("no longer holds"))) return "guard not found";
    if (errors.length === 0 && results.every(({ state }) => state === "skipped")) return "test not found";
    return errors.length > 0 ? "caught" : "SURVIVED";
  } finally {
    // The next guard may be of another file, and needs this one whole.
    process.env.RESIDUA_MUTANT = "";
    runner.invalidateFile(join(root, file));
  }
}

async function runnerOf(folder) {
  const known = runners.get(folder);
  if (known) return known;
  const keep = (text) => void (output += text);
  const runner = await createVitest("test", {
    root: join(root, folder),
    watch: false,
    maxWorkers: 1,
    reporters: [{ onUserConsoleLog: ({ content }) => keep(content) }],
  });
  runners.set(folder, runner);
  return runner;
}
