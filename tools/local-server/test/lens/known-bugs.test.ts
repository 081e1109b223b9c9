import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = new URL("../../../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

interface Guard {
  id: string;
  file: string;
  remove: string;
  test: string;
  name?: string;
}
const { guards } = (await import(fileURLToPath(new URL("tools/dev/guards/index.mjs", root)))) as {
  guards: readonly Guard[];
};

/** What stands between backticks. */
const coded = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);

const table = read("packages/lens/docs/known-bugs.md")
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .filter(([, bug = ""]) => /^[CSJ]\d+$/.test(bug))
  .map(([, bug = "", , , tests, by]) => ({ bug, tests: coded(tests), by: coded(by) }));

/** Those that fail in silence and are lens's own; S16 is the analysis package's. */
const starred = "C1 C2 C3 C6 C7 C11 C18 C20 C22 C28 S1 S5 J9 J10 J11 J12 J13".split(" ");

test("every starred bug is in the table, once", () => {
  const bugs = table.map(({ bug }) => bug);
  expect(starred.filter((bug) => !bugs.includes(bug))).toEqual([]);
  expect(new Set(bugs).size).toBe(bugs.length);
});

describe.each(table)("$bug", ({ bug, tests, by }) => {
  test("is named by the tests that hold it", () => {
    expect(tests.length).toBeGreaterThan(0);
    for (const path of tests) {
      expect(existsSync(new URL(path, root)), path).toBe(true);
      // In the title of a test, or in the row that a test is made of.
      expect(read(path), path).toMatch(new RegExp(`["'\`][^"'\`\\n]*\\b${bug}\\b`));
    }
  });

  test("has a guard whose removal one of them notices", () => {
    expect(by.length).toBeGreaterThan(0);
    for (const id of by) {
      const guard = guards.find((one) => one.id === id);
      expect(guard, id).toBeDefined();
      expect(tests, id).toContain(guard?.test);
    }
  });
});

test("every guard is still in the code, and no two have one id", () => {
  const gone = guards.filter(({ file, remove }) => !read(file).includes(remove)).map(({ id }) => id);
  expect(gone).toEqual([]);
  expect(new Set(guards.map(({ id }) => id)).size).toBe(guards.length);
});
