import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createProgram } from "../src/program.ts";

test("the README names every command, in the order of --help", () => {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const [, list = ""] = /`npx residua ([\w-]+(?: \| [\w-]+)+)`/.exec(readme) ?? [];
  const { commands } = createProgram({ signal: new AbortController().signal });
  expect(list.split(" | ")).toEqual(commands.map((command) => command.name()));
});
