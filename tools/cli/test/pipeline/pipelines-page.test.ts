import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { stepKinds, stepSchemas } from "../../src/pipeline/pipeline-schema.ts";
import { readPipeline } from "../../src/pipeline/read-pipeline.ts";

const root = new URL("../../../../", import.meta.url);
const page = readFileSync(new URL("tools/cli/docs/pipelines.md", root), "utf8");
const folder = mkdtempSync(join(tmpdir(), "residua-page-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the pipeline of the page is one", async () => {
  const [, yaml = ""] = /```yaml\n([^]*?)```/.exec(page)!;
  writeFileSync(join(folder, "pipeline.yaml"), yaml);
  const { steps } = await readPipeline(join(folder, "pipeline.yaml"));
  expect(steps.map(({ kind }) => kind)).toEqual(["collect", "sweep", "steer", "report"]);
});

test("its table names every step and every field", () => {
  const rows = page.split("\n").filter((line) => /^\| `\w+` /.test(line));
  expect(rows.map((row) => /`(\w+)`/.exec(row)![1])).toEqual(stepKinds);
  for (const [at, kind] of stepKinds.entries()) {
    const named = [...rows[at]!.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    const fields = Object.keys(stepSchemas[kind].shape);
    expect(named).toEqual(expect.arrayContaining(fields));
  }
});

test.each(["truth", "transfer", "gate"])("the example %s is read, and the page names it", async (name) => {
  const file = `examples/${name}/pipeline.yaml`;
  const { steps } = await readPipeline(new URL(file, root).pathname);
  expect(steps.length).toBeGreaterThan(1);
  expect(page).toContain(`../../../${file}`);
});
