import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { fileOf } from "./example-files.ts";

const page = readFileSync(new URL("../../docs/examples.md", import.meta.url), "utf8");
const imports = /^import (?:type )?[^]*?;$/gm;

test("the code of docs/examples.md runs, and gives what it says", { timeout: 60_000 }, async () => {
  const blocks = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, text = ""]) => text);
  expect(blocks).toHaveLength(4);
  const table = await fileOf(
    "cities.csv",
    "statement,label,city,fold\nParis is in France.,true,Paris,train\n",
  );
  // Beside the sources, so that it finds the workspace's packages.
  const program = [
    ...blocks.flatMap((block) => block.match(imports) ?? []),
    ...blocks.map((block) => block.replace(imports, "")),
    "console.log(JSON.stringify([cities, pairs, paired.map(({ id, group }) => [id, group]), chatPositions(lastUserToken, spans), chatPositions(endOfTurn, spans)]));",
  ]
    .join("\n")
    .replace('"cities.csv"', JSON.stringify(table));
  const tsx = fileURLToPath(import.meta.resolve("tsx/cli"));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [tsx, "--conditions=@residua/source", "--input-type=module", "--eval", program],
    { cwd: join(dirname(fileURLToPath(import.meta.url)), "../..") },
  );
  const [cities, pairs, paired, last, end] = JSON.parse(stdout) as unknown[];
  expect(cities).toEqual([
    {
      prompt: "Paris is in France.",
      group: "Paris",
      split: "train",
      labels: { truth: true },
      extra: {},
    },
  ]);
  expect(pairs).toMatchObject([
    { id: "0/positive", group: "0", labels: { liked: true } },
    { id: "0/negative", group: "0", labels: { liked: false } },
  ]);
  expect(paired).toEqual([
    ["paris/plain", "paris"],
    ["paris/asked", "paris"],
    ["rome/plain", "rome"],
    ["rome/asked", "rome"],
  ]);
  expect([last, end]).toEqual([[9], [10]]);
});
