import fc from "fast-check";
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
  const first = [1, 2, 3, 4, 5, 6];
  const second = [11, 12, 13, 14, 15, 16];

  it("are refused at tokens that they are not of", () => {
    const memory = makeRowMemory();
    expect(memory.check(captured(first, rowsOf(first))).status).toBe("pass");
    expect(() => memory.check(captured(second, rowsOf(first)))).toThrow(
      "rows at 6 positions have the bits of rows that an earlier capture had for other tokens, in its order (position 0: token 11 here, token 1 there)",
    );
    // The right rows of the same tokens are taken afterwards.
    expect(memory.check(captured(second, rowsOf(second))).status).toBe("pass");
  });

  it("are refused at one layer alone, and moved, and with the last token in common", () => {
    for (const wrong of [
      [rowsOf(second)[0] ?? [], rowsOf(first)[1] ?? []],
      rowsOf(first).map((rows) => [...rows.slice(1), ...rows.slice(0, 1)]),
      rowsOf(first).map((rows) => [...rows.slice(3), ...rows.slice(0, 3)]),
    ]) {
      const memory = makeRowMemory();
      memory.check(captured(first, rowsOf(first)));
      expect(() => memory.check(captured([11, 12, 13, 14, 15, 6], wrong))).toThrow("another request");
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
    const ids = [1, 2, 3, 4, 5];
    const told = {
      ...captured(ids, rowsOf(ids)),
      tokens: tokensOf(ids.map(() => null)).map((token, i) => ({ ...token, text: `t${i}` })),
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
    const ids = Array.from({ length: 9 }, (_, i) => i + 1);
    const others = ids.map((id) => id + 20);
    expect(memory.check(partly(ids)).status).toBe("pass");
    expect(memory.check(partly(ids.map((id) => id + 40))).status).toBe("pass");
    expect(() => memory.check({ ...partly(ids), tokens: tokensOf(others) })).toThrow("rows at 7 positions");
  });

  it("at layers that a vector changes: only those below are compared and remembered", () => {
    const ids = [1, 2, 3, 4, 5, 6];
    const others = [11, 12, 13, 14, 15, 16];
    const drowned = (tokens: number[], from: number) => ({
      ...captured(
        tokens,
        rowsOf(tokens).map((rows, l) => (layers[l]! < from ? rows : rowsOf(ids)[l]!)),
      ),
      changedFrom: from,
    });
    const memory = makeRowMemory();
    for (const from of [0, 9]) {
      memory.check(drowned(ids, from));
      expect(memory.check(drowned(others, from)).status).toBe(from === 0 ? "unverified" : "pass");
    }
    // A plain request meets nothing of them.
    expect(memory.check(captured(others, rowsOf(others))).status).toBe("pass");
    // Below the vector rows of another request are still seen.
    const taken = { ...captured(others, rowsOf(ids)), changedFrom: 9 };
    expect(() => memory.check(taken)).toThrow("another request");
  });

  it("of tokens that share embeddings, whatever the prompts", () => {
    // Those of SmolLM2-135M.
    const kinds = [
      [5, 9, 11, 36743],
      [7, 45175],
      [8, 10, 13, 15, 16, 36744, 48047],
      [12, 14],
    ];
    const embedded = (id: number) => kinds.find((kind) => kind.includes(id))?.[0] ?? id;
    const id = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...kinds.flat()) },
      { weight: 1, arbitrary: fc.nat(30) },
    );
    const prompts = fc.array(fc.array(id, { minLength: 1, maxLength: 40 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(prompts, (list) => {
        const memory = makeRowMemory();
        for (const ids of list)
          expect(["pass", "unverified"]).toContain(
            memory.check(captured(ids, rowsOf(ids.map(embedded)))).status,
          );
      }),
      { numRuns: 60 },
    );
  });

  it("a few rows, and rows that are not in the order of the other capture, are told and not refused", () => {
    const ids = [1, 2, 3, 4, 5, 6];
    for (const [tokens, rows] of [
      [[11, 12, 13, 14], rowsOf(ids).map((one) => one.slice(0, 4))],
      [[11, 12, 13, 14, 15, 16], rowsOf(ids).map((one) => [...one].reverse())],
    ] as const) {
      const memory = makeRowMemory();
      memory.check(captured(ids, rowsOf(ids)));
      expect(memory.check(captured(tokens, rows)).status).toBe("unverified");
    }
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
