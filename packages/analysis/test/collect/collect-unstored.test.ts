import { expect, test } from "vitest";
import type { Example } from "../../src/examples/example.ts";
import { collect } from "../../src/collect/collect.ts";
import { freshFolder } from "./collect-helpers.ts";
import { MemoryLens } from "./memory-lens.ts";

const cases: [string, Example[]][] = [["messages", [{ messages: [{ role: "user", content: "a" }] }]]];
test.each(cases)("refuses %s, which the rows have no column for", async (_, examples) => {
  const run = collect(new MemoryLens(), examples, { layers: [0], to: await freshFolder() });
  await expect(run).rejects.toMatchObject({ code: "invalid_request" });
});
