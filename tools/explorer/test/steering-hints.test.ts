import { expect, test } from "vitest";
import type { Continuation } from "../src/work/steer-prompt.ts";
import { steeringHints } from "../src/work/steering-hints.ts";

const text = (words: string, more: Partial<Continuation> = {}): Continuation => ({
  text: words,
  tokens: words.split(" ").length,
  loops: false,
  longestRepeat: 0,
  finishReason: "length",
  ...more,
});
const plain = text("a quiet town");
const kinds = (...given: Parameters<typeof steeringHints>) => steeringHints(...given).map(({ kind }) => kind);

test("another text without a fault has no hint", () => {
  expect(steeringHints({ plain, steered: text("a loud town"), scale: 1, share: 0.4 })).toEqual([]);
});

test("a loop that the plain text has not is a sign of damage, one of both is not", () => {
  const loop = text("no no no no", { loops: true, longestRepeat: 2 });
  expect(kinds({ plain, steered: loop, scale: 2, share: 0.4 })).toEqual(["damage"]);
  expect(kinds({ plain: loop, steered: text("ha ha ha", { loops: true }), scale: 2, share: 0.4 })).toEqual([
    "note",
  ]);
});

test("silence is a sign of damage", () => {
  expect(kinds({ plain, steered: text("", { tokens: 0 }), scale: 2, share: null })).toEqual(["damage"]);
});

test("a vector longer than the stream is a sign of damage", () => {
  const [hint] = steeringHints({ plain, steered: text("a loud town"), scale: 2, share: 2.04 });
  expect(hint).toMatchObject({ kind: "damage" });
  expect(hint?.text).toContain("2.0 times as long as the stream");
});

test("no change is said, and scale 0 is no finding", () => {
  expect(kinds({ plain, steered: plain, scale: 0.1, share: 0.01 })).toEqual(["note"]);
  expect(steeringHints({ plain, steered: plain, scale: 0, share: 0 })[0]?.text).toContain(
    "Scale 0 adds nothing",
  );
});
