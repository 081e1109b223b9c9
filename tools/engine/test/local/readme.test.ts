import { readFile, rm, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { tinyModel } from "../support.ts";

test("the example of the README prints what it says", async () => {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const [, section = ""] = /\n## A lens in process\n([^]*?)\n## /.exec(readme) ?? [];
  const [, example = ""] = /```ts\n([^]*?)```/.exec(section) ?? [];
  const [, printed] = /```text\n([^]*?)```/.exec(section) ?? [];
  const file = new URL(".readme-example.ts", import.meta.url);
  await writeFile(file, example.replace('"path/to/model"', JSON.stringify(tinyModel)));
  const lines: string[] = [];
  const log = vi
    .spyOn(console, "log")
    .mockImplementation((...words) => void lines.push(`${words.join(" ")}\n`));
  try {
    await import(file.href);
  } finally {
    log.mockRestore();
    await rm(file);
  }
  expect(lines.join("")).toBe(printed);
});
