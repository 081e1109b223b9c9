// `npm run schemathesis`: tests a running server of each profile against its own OpenAPI document.
// `-- --seed=7` sends other requests. Without PyPI it says so and ends well: nothing of it is needed to use or build Residua.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pythonEnvironment } from "./python-environment.mjs";
import { ensureInstalled, root, run } from "./workspace.mjs";

const requirement = "schemathesis==4.32.5";
const seed = process.argv.find((given) => /^--seed=\d+$/.test(given))?.slice(7) ?? "20261";
/** Not asked of this API, with the reason. */
const notChecked = [
  // What a schema allows can break a rule that spans fields; refusals_are_beyond_the_schema looks at those.
  "positive_data_acceptance",
  // DELETE cancels a job; the job stays.
  "use_after_free",
];

await ensureInstalled();
const environment = pythonEnvironment([requirement]);
if (environment.problem !== undefined) {
  console.log(`schemathesis NOT RUN: ${environment.problem}`);
  process.exit(0);
}

const key = "key-of-the-schema-tests-5d1f";
const runs = [
  { name: "acs without a key", profile: "acs", args: ["--max-examples", "400"] },
  {
    name: "acs with a key",
    profile: "acs",
    env: { RESIDUA_SERVER_KEY: key },
    args: ["--max-examples", "80", "-H", `Authorization: Bearer ${key}`],
  },
  { name: "octoai", profile: "octoai", args: ["--max-examples", "60"] },
  // Its document names no answers but 200, and its refusals have vLLM's words.
  {
    name: "vllm",
    profile: "vllm",
    args: ["--max-examples", "40"],
    not: ["status_code_conformance", "refusals_are_beyond_the_schema"],
  },
];
const scratch = mkdtempSync(join(tmpdir(), "residua-schemathesis-"));
let failed = 0;
for (const { name, profile, env = {}, args, not = [] } of runs) {
  console.log(`\n— schemathesis ${name}`);
  const server = await startServer(profile, env);
  const code = await run(
    join(environment.bin, "schemathesis"),
    [
      ...["run", `${server.origin}/openapi.json`, "--no-color", "--seed", seed],
      ...["--phases", "examples,coverage,fuzzing,stateful", "--generation-database", "none"],
      ...["--checks", "all", "--exclude-checks", [...notChecked, ...not].join(","), "--continue-on-failure"],
      ...["--request-timeout", "30", "--warnings", "off", ...args],
    ],
    {
      env: {
        ...process.env,
        SCHEMATHESIS_HOOKS: "schemathesis_hooks",
        PYTHONPATH: join(root, "tools", "dev"),
        PYTHONDONTWRITEBYTECODE: "1",
      },
      // It leaves what it found in the folder where it runs; the next run is to find it by itself.
      cwd: scratch,
      timeout: 300_000,
    },
  );
  if (code !== 0) failed += 1;
  const logged = await server.stop();
  if (logged !== "") {
    console.log(`the server logged:\n${logged}`);
    failed += 1;
  }
}
rmSync(scratch, { recursive: true, force: true });
console.log(`${runs.length - Math.min(failed, runs.length)} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** The real server with the embedded model, on a free port; `stop` resolves to what it wrote to stderr. */
async function startServer(profile, env) {
  const args = [
    join(root, "tools/cli/bin/residua.js"),
    "serve",
    "--model",
    "tiny",
    "--profile",
    profile,
    "--json",
  ];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let logged = "";
  child.stderr.on("data", (text) => (logged += text));
  const ended = once(child, "exit");
  // --json prints one document, over several lines.
  let printed = "";
  for await (const line of createInterface({ input: child.stdout })) {
    printed += line;
    try {
      const { url } = JSON.parse(printed);
      return {
        origin: new URL(url).origin,
        stop: async () => {
          child.disconnect();
          await ended;
          return logged;
        },
      };
    } catch {
      // More lines follow.
    }
  }
  throw new Error(`the server did not start: ${logged}`);
}
