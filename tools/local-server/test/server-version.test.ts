import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { serverVersion } from "../src/server-version.ts";

test("the version is the package's", async () => {
  const text = await readFile(new URL("../package.json", import.meta.url), "utf8");
  expect((JSON.parse(text) as { version: string }).version).toBe(serverVersion);
});
