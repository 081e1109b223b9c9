import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { kernelModule } from "../../kernels/build.mjs";

test("the committed kernels are what their sources compile to", async () => {
  const committed = new URL("../../src/linalg/kernel/kernel-bytes.ts", import.meta.url);
  expect(await readFile(committed, "utf8")).toBe(await kernelModule());
});
