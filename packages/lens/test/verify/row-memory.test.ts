import { describe, expect, it } from "vitest";
import { makeRowMemory } from "../../src/verify/row-memory.ts";
import { madeRow, tensorOfRows, tokensOf } from "./made-rows.ts";

const layers = [3, 9];
/** The rows of a right server: each depends on all tokens up to its own. */
function rowsOf(ids: readonly number[]): number[][][] {
  return layers.map((layer) =>
    ids.map((id, p) =>
      madeRow(
        layer,
        ids.slice(0, p).reduce((a, b) => (Math.imul(a, 31) + b) | 0, id),
        p,
      ),
    ),
  );
}
const captured = (ids: readonly (number | null)[], rows: number[][][], model = "m") => ({
  model,
  layers,
  tensor: tensorOfRows(rows),
  tokens: tokensOf(ids),
});

describe("C3: rows of another request", () => {
  const first = [1, 2, 3, 4];
  const second = [5, 6, 7, 8];

  it("are refused at tokens that they are not of", () => {
    const memory = makeRowMemory();
    expect(memory.check(captured(first, rowsOf(first))).status).toBe("pass");
    expect(() => memory.check(captured(second, rowsOf(first)))).toThrow(
      "rows at 4 positions have the bits of rows that an earlier capture had for other tokens (position 0: token 5 here, token 1 there)",
    );
    // The right rows of the same tokens are taken afterwards.
    expect(memory.check(captured(second, rowsOf(second))).status).toBe("pass");
  });

  it("are refused at one layer alone, and moved, and with the last token in common", () => {
    for (const wrong of [
      [rowsOf(second)[0] ?? [], rowsOf(first)[1] ?? []],
      rowsOf(first).map((rows) => [...rows.slice(1), ...rows.slice(0, 1)]),
      rowsOf(first).map((rows) => [...rows.slice(0, 2), ...rows.slice(0, 2)]),
    ]) {
      const memory = makeRowMemory();
      memory.check(captured(first, rowsOf(first)));
      expect(() => memory.check(captured([5, 6, 7, 4], wrong))).toThrow("another request");
    }
  });

  it("among many captures each is known", () => {
    const memory = makeRowMemory();
    for (let i = 0; i < 200; i++) {
      const ids = Array.from({ length: 40 }, (_, p) => i * 100 + p);
      expect(memory.check(captured(ids, rowsOf(ids))).status).toBe("pass");
    }
    const late = Array.from({ length: 40 }, (_, p) => 19_000 + p);
    const wrong = rowsOf(Array.from({ length: 40 }, (_, p) => 150 * 100 + p));
    expect(() => memory.check(captured(late, wrong))).toThrow("another request");
  });
});

describe("equal rows that are right", () => {
  it("of equal prefixes, of the same prompt again, and of one token many times", () => {
    const memory = makeRowMemory();
    for (const ids of [
      [1, 2, 3],
      [1, 2, 3, 4, 5],
      [1, 2, 3],
    ])
      expect(memory.check(captured(ids, rowsOf(ids))).status).toBe("pass");
    const same = (count: number) =>
      captured(
        Array<number>(count).fill(7),
        layers.map((layer) => Array<number[]>(count).fill(madeRow(layer, 7, 0))),
      );
    expect(memory.check(same(300)).status).toBe("pass");
    expect(memory.check(same(299)).status).toBe("pass");
  });

  it("of tokens known by their text in one capture and by their id in the other", () => {
    const memory = makeRowMemory();
    const ids = [1, 2, 3];
    const told = {
      ...captured(ids, rowsOf(ids)),
      tokens: tokensOf([null, null, null]).map((token, i) => ({ ...token, text: `t${i}` })),
    };
    expect(memory.check(told).status).toBe("pass");
    expect(memory.check(captured(ids, rowsOf(ids))).status).toBe("pass");
    const other = told.tokens.map((token) => ({ ...token, text: `${token.text}x` }));
    expect(() => memory.check({ ...told, tokens: other })).toThrow('"t0x" here, "t0" there');
  });

  it("of two tokens with one embedding, at one position: told and not refused", () => {
    const memory = makeRowMemory();
    const rows = rowsOf([50]);
    memory.check(captured([50], rows));
    expect(memory.check(captured([51], rows))).toMatchObject({
      status: "unverified",
      detail: expect.stringContaining("row 0 has the bits of token 50") as string,
    });
  });

  it("that a vector drowned: all are one", () => {
    const memory = makeRowMemory();
    const drowned = layers.map((layer) => Array<number[]>(4).fill(madeRow(layer, 9, 9)));
    expect(memory.check(captured([1, 2, 3, 4], drowned)).status).toBe("unverified");
    expect(memory.check(captured([5, 6, 7, 8], drowned)).status).toBe("unverified");
  });

  it("that a vector drowned at some positions: the others are still compared", () => {
    const memory = makeRowMemory();
    const one = madeRow(0, 9, 9);
    const partly = (ids: number[]) =>
      captured(
        ids,
        rowsOf(ids).map((rows) => rows.map((row, p) => (p === 1 || p === 2 ? one : row))),
      );
    expect(memory.check(partly([1, 2, 3, 4])).status).toBe("pass");
    expect(memory.check(partly([5, 6, 7, 8])).status).toBe("pass");
    expect(() => memory.check({ ...partly([1, 2, 3, 4]), tokens: tokensOf([5, 6, 7, 9]) })).toThrow(
      "rows at 2 positions",
    );
  });

  it("of another model", () => {
    const memory = makeRowMemory();
    memory.check(captured([1, 2, 3], rowsOf([1, 2, 3])));
    expect(memory.check(captured([4, 5, 6], rowsOf([1, 2, 3]), "other")).status).toBe("pass");
  });
});

it("a token that is known by its text in one capture and by its id in another is one token", () => {
  const memory = makeRowMemory();
  const ids = [1, 2, 3];
  const named = (by: { id?: boolean; text?: boolean }) => ({
    ...captured(ids, rowsOf(ids)),
    tokens: tokensOf(ids).map(({ id }) => ({
      id: by.id ? id : null,
      text: by.text ? `t${id}` : null,
      role: "prompt" as const,
    })),
  });
  memory.check(named({ text: true }));
  expect(memory.check(named({ id: true })).status).toBe("pass");
  expect(memory.check(named({ id: true, text: true })).status).toBe("pass");
});

it("tokens that are not known are compared with nothing", () => {
  const memory = makeRowMemory();
  expect(memory.check(captured([null, null], rowsOf([1, 2]))).status).toBe("unverified");
});

it("remembers the newest rows only", () => {
  const memory = makeRowMemory(16);
  memory.check(captured([1, 2, 3, 4], rowsOf([1, 2, 3, 4])));
  for (let i = 10; i < 30; i += 4)
    memory.check(captured([i, i + 1, i + 2, i + 3], rowsOf([i, i + 1, i + 2, i + 3])));
  expect(memory.check(captured([5, 6, 7, 8], rowsOf([1, 2, 3, 4]))).status).toBe("pass");
});
