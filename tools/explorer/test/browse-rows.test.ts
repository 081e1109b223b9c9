import fc from "fast-check";
import { expect, test } from "vitest";
import { commonValues, pageOfRows, valueText } from "../src/work/browse-rows.ts";

const asked = { filter: null, order: "row", scores: null, page: 1, pageRows: 3 } as const;

test("rows come as they stand, a page at a time", () => {
  expect(pageOfRows(7, null, asked)).toEqual({ rows: [0, 1, 2], total: 7, page: 1, pages: 3 });
  expect(pageOfRows(7, null, { ...asked, page: 3 })).toEqual({ rows: [6], total: 7, page: 3, pages: 3 });
});

test("a page beyond the last is the last", () => {
  expect(pageOfRows(7, null, { ...asked, page: 9 }).rows).toEqual([6]);
});

test("a filter leaves the rows whose value is written so", () => {
  const column = [true, false, null, true, "true", 1];
  const filter = (value: string) =>
    pageOfRows(6, column, { ...asked, pageRows: 9, filter: { column: "a", value } }).rows;
  expect(filter("true")).toEqual([0, 3, 4]);
  expect(filter("–")).toEqual([2]);
  expect(filter("1")).toEqual([5]);
  expect(filter("True")).toEqual([]);
});

test("no row left is one empty page", () => {
  expect(pageOfRows(2, ["a", "b"], { ...asked, filter: { column: "x", value: "c" } })).toEqual({
    rows: [],
    total: 0,
    page: 1,
    pages: 1,
  });
});

test("pages together are each kept row once, in the order of the scores, ties as they stand", () => {
  const rowsOf = fc.array(
    fc.record({ score: fc.constantFrom(-1.5, 0, 0.25, 3), value: fc.constantFrom("a", "b", null) }),
  );
  fc.assert(
    fc.property(
      rowsOf,
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom("high", "low"),
      (rows, pageRows, order) => {
        const scores = Float64Array.from(rows, ({ score }) => score);
        const column = rows.map(({ value }) => value);
        const pageOf = (page: number) =>
          pageOfRows(rows.length, column, {
            filter: { column: "v", value: "a" },
            order,
            scores,
            page,
            pageRows,
          });
        const all = Array.from({ length: pageOf(1).pages }, (_, i) => pageOf(i + 1).rows).flat();
        const kept = rows.flatMap(({ value }, row) => (value === "a" ? [row] : []));
        expect([...all].sort((a, b) => a - b)).toEqual(kept);
        const sign = order === "high" ? 1 : -1;
        all.slice(1).forEach((row, i) => {
          const [before, now] = [scores[all[i]!]!, scores[row]!];
          expect(sign * (before - now) > 0 || (before === now && all[i]! < row)).toBe(true);
        });
      },
    ),
  );
});

test("the most frequent values come first", () => {
  expect(commonValues(["b", "a", "b", null, "c", "c", "c"], 3)).toEqual([
    { value: "c", rows: 3 },
    { value: "b", rows: 2 },
    { value: "a", rows: 1 },
  ]);
  expect(valueText(null)).toBe("–");
});
