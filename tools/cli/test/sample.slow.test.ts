import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { residua, serveTiny } from "./residua-process.ts";

const scratch = mkdtempSync(join(tmpdir(), "residua-sample-"));
const file = join(scratch, "requests.jsonl");
let serving: Awaited<ReturnType<typeof serveTiny>>;
beforeAll(async () => {
  serving = await serveTiny();
});
afterAll(async () => {
  serving.child.kill("SIGTERM");
  expect((await serving.finished).code).toBe(0);
  rmSync(scratch, { recursive: true, force: true });
});

interface Line {
  index: number;
  prompt: string;
  seed?: number;
  resumed?: true;
  completion?: { choices: { text: string }[] };
  packed?: object;
  error?: { code: string; status?: number };
}

const sample = async (...words: string[]) => {
  const env = { ACS_API_BASE: serving.url };
  const { code, stdout, stderr } = await residua(["sample", file, ...words], { env });
  const lines = stdout.split("\n").slice(0, -1);
  return { code, stderr, lines: lines.map((line) => JSON.parse(line) as Line) };
};

const write = (requests: object[]) =>
  writeFileSync(file, requests.map((one) => JSON.stringify(one)).join("\n"));

test("prints a line for each outcome, goes on from a journal, and packs", async () => {
  const requests = Array.from({ length: 8 }, () => ({ prompt: "Paris is in", max_tokens: 3 }));
  const journal = join(scratch, "run.jsonl");
  write(requests.slice(0, 5));
  const words = ["--journal", journal, "--concurrency", "4", "--seed", "7", "--ordered"];
  const first = await sample(...words);
  expect(first.code, first.stderr).toBe(0);
  expect(first.lines.map(({ index, seed }) => [index, seed])).toEqual([0, 1, 2, 3, 4].map((i) => [i, 7 + i]));
  expect(first.stderr).toContain("requests 5/5");
  write(requests);
  const second = await sample(...words, "--pack", "--quiet");
  expect(second.stderr).toBe("");
  expect(second.lines.map(({ resumed = false }) => resumed)).toEqual(requests.map((_, i) => i < 5));
  expect(second.lines[6]?.packed).toMatchObject({ requests: 3 });
  expect(second.lines[0]?.completion).toEqual(first.lines[0]?.completion);
  expect(readFileSync(journal, "utf8").split("\n")).toHaveLength(10);
});

test("exit code 1 when some failed, 2 when the file or the journal is not what it should be", async () => {
  write([
    { prompt: "a", max_tokens: 1 },
    { prompt: "b", max_tokens: 0 },
    { prompt: "c", modle: "x" },
  ]);
  const some = await sample("--ordered");
  expect(some.code).toBe(1);
  expect(some.lines.map(({ error }) => error?.code)).toEqual([
    undefined,
    "invalid_request",
    "invalid_request",
  ]);
  expect(some.stderr).toContain("residua: 2 of 3 requests failed");
  const journal = join(scratch, "other.jsonl");
  writeFileSync(journal, "notes\n");
  write([{ prompt: "a", max_tokens: 1 }]);
  expect(await sample("--journal", journal)).toMatchObject({ code: 2, lines: [] });
  writeFileSync(file, '{"prompt": "a"}\n\n[1]\n');
  const wrong = await sample();
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("line 3 is no request");
  expect((await residua(["sample", join(scratch, "none.jsonl")])).code).toBe(2);
});
