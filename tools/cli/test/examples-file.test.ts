import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readExamples } from "../src/examples-file.ts";

const scratch = mkdtempSync(join(tmpdir(), "residua-examples-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const read = (text: string) => {
  const file = join(scratch, "examples.jsonl");
  writeFileSync(file, text);
  return readExamples(file);
};

test("one example a line; what is left out stays out", async () => {
  const line = { prompt: "A", labels: { truth: true }, group: "g" };
  expect(await read(`${JSON.stringify(line)}\n\n{"prompt":[1,2]}\n`)).toEqual([
    line,
    { prompt: [1, 2], labels: {} },
  ]);
});

test("an error names the line and the field", async () => {
  await expect(read('{"prompt":"A"}\nnot json')).rejects.toThrow("line 2 is not JSON");
  await expect(read('{"prompt":"A","label":1}')).rejects.toThrow(/line 1[^]*label/);
  await expect(read("\n")).rejects.toThrow("holds no examples");
  await expect(readExamples(join(scratch, "absent"))).rejects.toThrow("ENOENT");
});
