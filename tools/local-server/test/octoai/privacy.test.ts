import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { completed, startOctoai } from "./octoai-support.ts";

test("log_prompt stores nothing, and the answer says so; best_of is held and paid in full", async () => {
  const folder = await mkdtemp(join(tmpdir(), "residua-octoai-"));
  const ledger = join(folder, "ledger.jsonl");
  const running = await startOctoai({ ledger });
  const prompt = "A secret of Quorbex the city";
  const header = async (fields: object) => {
    const { headers, status } = await running.complete({ prompt, max_tokens: 2, ...fields });
    expect(status).toBe(200);
    return headers.get("x-log-prompt");
  };
  expect(await header({ log_prompt: true })).toBe("ignored: this server stores no prompt");
  expect(await header({ log_prompt: true, stream: false, user: "Quorbex" })).not.toBeNull();
  expect(await header({ log_prompt: false })).toBeNull();
  expect(await header({})).toBeNull();
  const { usage } = await completed(running, { prompt, n: 2, best_of: 5, max_tokens: 4, log_prompt: true });
  await running.close();
  expect(running.logged).toEqual([]);
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const texts = await Promise.all(
    entries.map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8")),
  );
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts) expect(text).not.toMatch(/Quorbex|secret/);
  const last = (await readFile(ledger, "utf8")).trim().split("\n").slice(-3);
  const tokens = last.map((line) => (JSON.parse(line) as { tokens: number }).tokens);
  const held = usage.prompt_tokens + 5 * 4;
  expect(tokens).toEqual([held, -usage.total_tokens, usage.total_tokens - held]);
  await rm(folder, { recursive: true });
});
