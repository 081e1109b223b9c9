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

test("one example a line, whatever the file is called", async () => {
  const line = { prompt: "A", labels: { truth: true }, group: "g" };
  expect(await read(`${JSON.stringify(line)}\n\n{"prompt":[1,2],"labels":{"truth":null}}\n`)).toEqual([
    { ...line, extra: {} },
    { prompt: [1, 2], labels: { truth: null }, extra: {} },
  ]);
  const table = join(scratch, "examples.csv");
  writeFileSync(table, "prompt,label\nA,1\n");
  expect(await readExamples(table)).toEqual([{ prompt: "A", labels: { label: 1 }, extra: {} }]);
});

test("an error names the line and the column", async () => {
  await expect(read('{"prompt":"A"}\nnot json')).rejects.toThrow(
    /line 2: "not json"; allowed: a JSON object/,
  );
  await expect(read('{"prompt":1}')).rejects.toThrow(/line 1, column "prompt": 1; allowed: a text/);
  await expect(read("\n")).rejects.toThrow("holds no examples");
  await expect(readExamples(join(scratch, "absent"))).rejects.toThrow("ENOENT");
});
