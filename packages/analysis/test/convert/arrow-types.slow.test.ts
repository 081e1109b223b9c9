import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importRows } from "../../src/convert/convert-rows.ts";
import { loadExamples } from "../../src/examples/load-examples.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { python, runPython } from "./python.ts";

const refused = "refused";
const digits = "9007199254740993";
const iso = "2026-01-02T03:04:05.678Z";

/** The first value as an extra column of an example, and as a column of rows; the second is null. */
const expected: Readonly<Record<string, readonly [unknown, unknown]>> = {
  bool: [true, true],
  int8: [-1, -1],
  uint8: [255, 255],
  int16: [-(2 ** 15), -(2 ** 15)],
  uint16: [2 ** 16 - 1, 2 ** 16 - 1],
  int32: [-(2 ** 31), -(2 ** 31)],
  uint32: [2 ** 32 - 1, 2 ** 32 - 1],
  int64: [digits, digits],
  "int64-small": [7, 7],
  uint64: [String(2n ** 64n - 1n), String(2n ** 64n - 1n)],
  float16: [1.5, 1.5],
  float32: [Math.fround(0.1), Math.fround(0.1)],
  float64: [0.1, 0.1],
  null: [null, refused],
  string: ["é", "é"],
  "large-string": ["é", "é"],
  "string-view": ["over twelve bytes", "over twelve bytes"],
  date32: ["2026-01-02", refused],
  date64: ["2026-01-02", refused],
  "timestamp-s": ["2026-01-02T03:04:05.000Z", refused],
  "timestamp-ms": [iso, refused],
  "timestamp-us": [iso, refused],
  "timestamp-ns": [iso, refused],
  "timestamp-tz": [iso, refused],
  dictionary: ["a", "a"],
  "dictionary-int": [digits, digits],
  list: [`[1,${digits}]`, refused],
  "list-int32": ["[1,2]", [1, 2]],
  "large-list": ["[1,2]", [1, 2]],
  "fixed-list": ["[1,2]", [1, 2]],
  "list-view": ["[1,2]", [1, 2]],
  "list-string": ['["a"]', refused],
  struct: ['{"a":1,"b":["c"]}', refused],
  json: ['{"a": 1}', '{"a": 1}'],
  bool8: [1, 1],
};

test("every type of Arrow is read alike from Arrow and Parquet that pyarrow wrote, or refused by both, by name", async () => {
  const environment = python();
  if ("problem" in environment) throw new Error(environment.problem);
  const folder = await freshFolder();
  const script = join(import.meta.dirname, "../../fixtures/convert-foreign/make-types.py");
  await runPython(environment.bin, await readFile(script, "utf8"), folder);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".arrow"));
  expect(names.length).toBeGreaterThan(55);
  for (const name of names.map((file) => file.replace(".arrow", ""))) {
    const [example, column] = expected[name] ?? [refused, refused];
    for (const ending of ["arrow", "parquet"]) {
      const path = join(folder, `${name}.${ending}`);
      if (!existsSync(path)) continue;
      const values = {
        example: () =>
          loadExamples(path, { columns: { extra: ["x"] } }).then((all) =>
            all.map(({ extra }) => extra?.["x"]),
          ),
        column: () => importRows(path).then((source) => source.column("x")),
      };
      for (const [what, wanted] of Object.entries({ example, column }) as ["example" | "column", unknown][]) {
        const found = await (values[what]() as Promise<unknown>).catch((error: Error) => error.message);
        // apache-arrow has no lists as views: Parquet has them as lists.
        const unknown = ending === "arrow" && name === "list-view";
        if (wanted === refused || unknown)
          expect(found, `${what} of ${name}.${ending}`).toMatch(/column "x"|a column of the Arrow type/);
        else expect(found, `${what} of ${name}.${ending}`).toEqual([wanted, null]);
      }
    }
  }
});
