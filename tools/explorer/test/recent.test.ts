import { expect, test } from "vitest";
import { recent } from "../src/work/recent.ts";

test("keeps those that were used last", () => {
  const kept = recent<number>(2);
  kept.set("a", 1);
  kept.set("b", 2);
  expect(kept.get("a")).toBe(1);
  kept.set("c", 3);
  expect([kept.get("a"), kept.get("b"), kept.get("c")]).toEqual([1, undefined, 3]);
});
