import { describe, expect, test } from "vitest";
import { positionLogprobs } from "../src/logprobs.ts";
import { PromptLogprobColumns } from "../src/prompt-logprobs.ts";
import { someVector } from "./support.ts";

const vocab = 40;
const prompt = [3, 39, 0, 7];
const rows = [1, 2, 3].map((seed) => someVector(vocab, seed));

function columns(count: number, scores = rows) {
  const made = new PromptLogprobColumns(prompt, count, vocab);
  for (const row of scores) made.push(row);
  return made;
}

describe("the columns of a prompt's log probabilities", () => {
  test.each([0, 1, 5, 40, 41, -1])("hold what positionLogprobs gives, to the bit: count %i", (count) => {
    const expected = rows.map((row, i) =>
      positionLogprobs(row, prompt[i + 1]!, count === -1 ? vocab : count),
    );
    expect([...columns(count)]).toEqual([null, ...expected]);
    expect(columns(count).at(2)).toEqual(expected[1]);
    expect([...columns(count).entries()].map(([position]) => position)).toEqual([0, 1, 2, 3]);
  });

  test("hold tokens beyond 65535", () => {
    const large = new PromptLogprobColumns([0, 70_000], 2, 100_000);
    large.push(
      Float32Array.from({ length: 100_000 }, (_, id) => (id === 99_999 ? 2 : id === 70_000 ? 1 : 0)),
    );
    expect(large.at(1)!.top.map(({ token }) => token)).toEqual([99_999, 70_000]);
  });

  test("have an end", () => {
    for (const position of [-1, 4, 0.5]) expect(() => columns(1).at(position)).toThrow(RangeError);
    const half = columns(1, rows.slice(0, 1));
    expect(half.length).toBe(2);
    expect(() => half.at(2)).toThrow("position 2 is not among the 2 of the prompt");
  });

  test("are equal to a test when their entries are, and not else", () => {
    expect(columns(2)).toEqual(columns(2));
    expect(columns(2)).not.toEqual(columns(3));
    const other = rows.map((row, i) => (i === 1 ? row.map((score) => score + 0.001) : row));
    other[1]![20]! += 5;
    expect(columns(2, other)).not.toEqual(columns(2));
  });
});
