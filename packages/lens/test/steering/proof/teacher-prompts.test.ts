import { describe, expect, it } from "vitest";
import type { CapturedToken } from "../../../src/lens-types.ts";
import { sameTokens, teacherPrompts } from "../../../src/steering/proof/teacher-prompts.ts";

const token = (id: number | null, text: string | null, role: CapturedToken["role"] = "prompt") => ({
  id,
  text,
  role,
});
const of = (...tokens: CapturedToken[]) => ({ tokens, positions: tokens.length - 1 });
const last = token(9, "z", "generated");

describe("teacherPrompts", () => {
  it("gives ids where all are known, else text, and the prompt alone at the end", () => {
    const known = of(token(0, null), token(5, "a"), token(6, "b", "generated"), last);
    expect(teacherPrompts(known, { prompt: "a" })).toEqual([{ prompt: [0, 5, 6] }]);
    const untold = of(token(0, null), token(5, "a"), token(null, "b", "generated"), last);
    expect(teacherPrompts(untold, { prompt: "a" })).toEqual([{ prompt: "ab" }, { prompt: "a" }]);
    expect(teacherPrompts(untold, { prompt: [0, 5] })).toEqual([
      { prompt: "ab", add_special_tokens: true },
      { prompt: [0, 5] },
    ]);
    const cut = of(token(0, null), token(5, "a"), token(null, "\ufffd", "generated"), last);
    expect(teacherPrompts(cut, { prompt: "a" })).toEqual([{ prompt: "a" }]);
  });

  it("counts leading rows of the same tokens, by id, else by text", () => {
    const a = of(token(null, null), token(5, "a"), token(null, "b", "generated"), last);
    const b = (...rest: CapturedToken[]) => of(token(0, null), ...rest, last);
    expect(sameTokens(a, b(token(5, "a"), token(6, "b")))).toBe(3);
    expect(sameTokens(a, b(token(5, "a"), token(6, "bc")))).toBe(2);
    expect(sameTokens(a, b(token(7, "a"), token(6, "b")))).toBe(1);
    expect(sameTokens(a, b(token(5, "a")))).toBe(2);
    expect(sameTokens(a, b(token(5, "a"), token(6, null)))).toBe(2);
  });
});
