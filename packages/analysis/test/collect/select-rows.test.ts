import { select, type Selection } from "@residua/lens";
import { expect, test } from "vitest";
import { selectionData, selectionSchema } from "../../src/collect/select-rows.ts";
import { MemoryLens } from "./memory-lens.ts";
import { selectedPositions } from "./selected-positions.ts";

test.each<[Parameters<typeof selectedPositions>[0], number[]]>([
  ["last", [3]],
  ["first", [0]],
  ["all", [0, 1, 2, 3]],
  [{ last: 2 }, [2, 3]],
  [{ last: 9 }, [0, 1, 2, 3]],
])("%j selects positions, ascending", (selection, positions) => {
  const capture = new MemoryLens().compute({ prompt: [1, 2, 3, 4], layers: [0] });
  expect(select(capture, selectionData(selection) as Selection).positions).toEqual(positions);
  expect(selectedPositions(selection, 4)).toEqual(positions);
});

test.each([["mean"], [{ last: 0 }], [{ last: 1.5 }], [{ last: 1, first: 1 }], [null]])(
  "%j is no selection",
  (given) => {
    expect(selectionSchema.safeParse(given).success).toBe(false);
  },
);
