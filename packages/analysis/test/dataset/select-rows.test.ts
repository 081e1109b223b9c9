import { expect, test } from "vitest";
import { selectionSchema, selectRows } from "../../src/dataset/select-rows.ts";

test("selects positions, ascending", () => {
  expect(selectRows("last", 4)).toEqual([3]);
  expect(selectRows("first", 4)).toEqual([0]);
  expect(selectRows("all", 4)).toEqual([0, 1, 2, 3]);
  expect(selectRows({ last: 2 }, 4)).toEqual([2, 3]);
  expect(selectRows({ last: 9 }, 4)).toEqual([0, 1, 2, 3]);
});

test.each([["mean"], [{ last: 0 }], [{ last: 1.5 }], [{ last: 1, first: 1 }], [null]])(
  "%j is no selection",
  (given) => {
    expect(selectionSchema.safeParse(given).success).toBe(false);
  },
);
