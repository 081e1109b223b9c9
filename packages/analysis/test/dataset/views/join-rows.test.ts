import { expect, test } from "vitest";
import { viewOf } from "../../../src/dataset/views/view-methods.ts";
import { memorySource } from "../memory-source.ts";

const rows = viewOf(memorySource({ rows: 9, dtype: "float32" })); // examples e0 … e4, groups g0 g1 g2
const all = ["e0", "e1", "e2", "e3", "e4"].map((example, i) => ({ example, size: i, name: `n${i}` }));

test("columns of a table come to every row of their key", async () => {
  const view = await rows.join(all, { labels: ["size"] });
  const examples = await view.column("example");
  expect(await view.column("name")).toEqual(examples.map((example) => `n${String(example).slice(1)}`));
  expect(view.fields.slice(-2)).toEqual([
    { name: "name", type: "utf8", nullable: false, role: "extra" },
    { name: "size", type: "float64", nullable: false, role: "label" },
  ]);
  expect(view.lineage.from).toHaveLength(1);
  expect(view.lineage.how.at(-1)).toBe("join name, size by example");
});

test("a key that stands in an example's first row counts for its other rows", async () => {
  const view = await rows.join([{ text: "text 1", mark: true }], { on: "text", unmatched: "null" });
  const examples = await view.column("example");
  expect(await view.column("mark")).toEqual(examples.map((example) => (example === "e1" ? true : null)));
});

test("rows without a partner are refused with their count, or null as asked", async () => {
  const some = all.slice(0, 3);
  await expect(rows.join(some)).rejects.toMatchObject({
    code: "join_mismatch",
    found: '3 of 9 rows without a partner: "e3", "e4"',
  });
  const view = await rows.join(some, { unmatched: "null" });
  expect((await view.column("size")).filter((value) => value === null)).toHaveLength(3);
  expect(view.fields.at(-1)).toMatchObject({ name: "size", nullable: true });
  expect(view.lineage.notes).toEqual(["join by example: 3 of 9 rows found no partner and have null"]);
});

test("keys given twice are refused with their count, or null as asked", async () => {
  const twice = [...all, { example: "e1", size: 5, name: "again" }];
  await expect(rows.join(twice)).rejects.toMatchObject({
    code: "join_mismatch",
    found: expect.stringMatching(/^"e1" /) as string,
  });
  const view = await rows.join(twice, { repeated: "null" });
  expect(new Set(await view.column("name"))).toEqual(new Set(["n0", null, "n2", "n3", "n4"]));
  expect(view.lineage.notes[0]).toMatch(/1 keys stand in several rows/);
});

test("keys that no row has are counted, or refused as asked", async () => {
  const more = [...all, { example: "e9", size: 5, name: "x" }];
  expect((await rows.join(more)).lineage.notes).toEqual([
    "join by example: 1 keys of the table are in no row",
  ]);
  await expect(rows.join(more, { unused: "refuse" })).rejects.toMatchObject({ code: "join_mismatch" });
});

test("a table that cannot be joined is refused by field", async () => {
  const refused: [object[], object, RegExp][] = [
    [[], {}, /no rows/],
    [[{ size: 1 }], {}, /join\.rows\[0\]\.example: nothing/],
    [[{ example: "e0" }], {}, /no column beside example/],
    [[{ example: "e0", truth: true }], {}, /column truth, which the rows have already/],
    [[{ example: "e0", layer_3: 1 }], {}, /column layer_3/],
    [
      [
        { example: "e0", size: 1 },
        { example: "e1", size: "two" },
      ],
      {},
      /join\.rows\[1\]\.size: string; allowed: float64/,
    ],
    [[{ example: "e0", size: [1] }], {}, /join\.rows\[0\]\.size: object/],
    [[{ example: "e0", size: "\ud800" }], {}, /surrogate/],
    [[{ example: "e0", size: 1 }], { labels: ["other"] }, /column other/],
    [[{ example: "e0", size: 1 }], { key: "example" }, /join: the field key; allowed: only on, labels/],
  ];
  for (const [table, options, message] of refused)
    await expect(rows.join(table as Parameters<typeof rows.join>[0], options)).rejects.toThrow(message);
  await expect(rows.join(all, { on: "nope" })).rejects.toMatchObject({ code: "no_such_column" });
});
