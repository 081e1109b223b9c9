import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { residua, serveTiny, startResidua } from "./residua-process.ts";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "residua-explore-"));
  const line = (place: string, truth: boolean, group: string) =>
    JSON.stringify({ prompt: `The city of ${group} is in ${place}. Verdict:`, group, labels: { truth } });
  const lines = [
    line("Europe", true, "Rome"),
    line("Asia", false, "Rome"),
    line("Asia", true, "Doha"),
    line("Africa", false, "Doha"),
  ];
  writeFileSync(join(folder, "examples.jsonl"), `${lines.join("\n")}\n`);
  const to = join(folder, "run");
  const { code, stderr } = await residua([
    "capture",
    "--examples",
    join(folder, "examples.jsonl"),
    "--to",
    to,
  ]);
  expect(code, stderr).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runs = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Starts the command; its address, once it answers. */
async function explore(words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const started = startResidua(["explore", ...words, "--json"], { env });
  onTestFinished(() => void started.child.kill("SIGTERM"));
  const line = await new Promise<string>((resolve, reject) => {
    started.child.stdout!.once("data", (chunk: Buffer) => resolve(chunk.toString()));
    started.child.once("exit", () => reject(new Error(started.stderr())));
  });
  return { ...started, ...(JSON.parse(line) as { url: string; model: string; run: string | null }) };
}

test("a run is explored on the embedded server; Ctrl-C ends both with 0", async () => {
  const started = await explore([join(folder, "run")]);
  const server = Number(new URL(/http:\S+\/v1/.exec(started.stderr())![0]).port);
  const answer = await fetch(new URL("tokens", started.url), {
    method: "POST",
    body: new URLSearchParams({
      prompt: "The city of Rome is in Asia. Verdict:",
      scorer: "mean:.:truth",
      layer: "4",
    }),
  });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain("12 tokens scored at layer 4.");
  expect((await fetch(`http://127.0.0.1:${server}/health`)).status).toBe(200);
  started.child.kill("SIGINT");
  const { code, stderr } = await started.finished;
  expect([code, stderr.includes("\n    at ")]).toEqual([0, false]);
  await expect(fetch(started.url)).rejects.toThrow();
  await expect(fetch(`http://127.0.0.1:${server}/health`)).rejects.toThrow();
  expect(runs(started.child.pid!)).toBe(false);
});

test("a server named by ACS_API_BASE is asked with the key, which no page shows", async () => {
  const key = "key-of-a-named-server";
  const serving = await serveTiny(["--api-key", key]);
  onTestFinished(() => void serving.child.kill("SIGTERM"));
  const started = await explore([join(folder, "run")], { ACS_API_KEY: key, ACS_API_BASE: serving.url });
  const answer = await fetch(new URL("steer", started.url), {
    method: "POST",
    body: new URLSearchParams({ prompt: "The city of Rome is in Asia. Verdict:", scale: "1", tokens: "2" }),
  });
  // Two slashes in a row are escaped, so that no page holds an address.
  const text = (await answer.text()).replaceAll("&#47;", "/");
  expect([answer.status, text.includes(serving.url), text.includes(key)]).toEqual([200, true, false]);
  started.child.kill("SIGTERM");
  expect((await started.finished).code).toBe(0);
  serving.child.kill("SIGTERM");
  await serving.finished;
});

test("a server alone needs no run", async () => {
  const serving = await serveTiny();
  onTestFinished(() => void serving.child.kill("SIGTERM"));
  const started = await explore(["--server", serving.url]);
  expect(started.run).toBeNull();
  expect(await (await fetch(new URL("tokens", started.url))).text()).toContain("No run was named.");
  started.child.kill("SIGINT");
  expect((await started.finished).code).toBe(0);
  serving.child.kill("SIGTERM");
  await serving.finished;
});

test.each([
  [[], "give the folder of a run"],
  [["/nowhere/at/all"], "cannot be read as a folder"],
])("%j is bad input: exit 2, one line, no stack", { timeout: 60_000 }, async (words, said) => {
  const { code, stdout, stderr } = await residua(["explore", ...words]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(said);
  expect(stderr).not.toContain("\n    at ");
});
