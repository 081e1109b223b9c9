import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { residua, startResidua } from "./residua-process.ts";

const builds = process.env["RESIDUA_NATIVE"];
const unavailable =
  process.env["RESIDUA_NATIVE_UNAVAILABLE"] ??
  "RESIDUA_NATIVE is not set; RESIDUA_NATIVE=$(npm run --silent native) says that the native backend can be built here";
beforeEach((context) => context.skip(!builds, unavailable));

let cache: string;
beforeAll(async () => void (cache = await mkdtemp(join(tmpdir(), "residua-install-"))));
afterAll(() => rm(cache, { recursive: true, force: true }));

const env = () => ({ RESIDUA_CACHE: cache });
const install = () => startResidua(["backend", "install"], { env: env() });

test("an installation that is killed goes on; two at once are refused; it serves; it is removed", async () => {
  const killed = install();
  while (!killed.stderr().includes("compiling")) await new Promise((resolve) => setTimeout(resolve, 20));
  const second = await install().finished;
  expect(second.code).toBe(1);
  expect(second.stderr).toContain("another installation runs in");
  killed.child.kill("SIGKILL");
  await killed.finished;
  expect((await residua(["backend", "list"], { env: env() })).stdout).toContain("no native backend");

  const { code, stderr, stdout } = await install().finished;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toContain("is installed: ");
  // What was fetched and unpacked before is not fetched again.
  expect(stderr).not.toContain("tensorflow-cpu==");
  expect(stderr).toContain("compiling the addon");

  const listed = await residua(["backend", "list", "--json"], { env: env() });
  const { installed } = JSON.parse(listed.stdout) as { installed: { variant: string; folder: string }[] };
  expect(installed).toMatchObject([{ variant: "cpu", tensorflow: "2.15.1" }]);
  expect((await readdir(installed[0]!.folder)).sort()).toEqual([
    "native.json",
    "node_modules",
    "package.json",
    "tensorflow",
    "tfjs_binding.node",
  ]);
  const again = await install().finished;
  expect(again).toMatchObject({ code: 0, stderr: "" });
  expect(again.stdout).toContain("was installed already");

  const completed = await residua(["complete", "The city of Rome is in", "--temperature", "0", "--json"], {
    env: env(),
  });
  const serving = startResidua(["serve", "--backend", "native", "--json"], { env: env() });
  const line = await new Promise<string>((resolve) =>
    serving.child.stdout!.once("data", (chunk: Buffer) => resolve(chunk.toString())),
  );
  const { url } = JSON.parse(line) as { url: string };
  const words = [
    "complete",
    "The city of Rome is in",
    "--temperature",
    "0",
    "--json",
    "--base-url",
    url,
    "--model",
    "tiny",
  ];
  const native = await residua(words, { env: env() });
  const textOf = (text: string) => (JSON.parse(text) as { choices: { text: string }[] }).choices[0]!.text;
  expect(textOf(native.stdout)).toBe(textOf(completed.stdout));
  serving.child.kill("SIGTERM");
  await serving.finished;

  const removed = await residua(["backend", "remove", "--json"], { env: env() });
  expect(JSON.parse(removed.stdout)).toEqual({ removed: [installed[0]!.folder] });
  expect(await readdir(join(cache, "native"))).toEqual(["downloads"]);
  expect(await readdir(join(cache, "native", "downloads"))).toEqual([]);
}, 240_000);
