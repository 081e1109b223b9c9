import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeTensor, type Tensor, tensorValues } from "../../src/codec/tensor-codec.ts";
import type { CapturedToken } from "../../src/lens-types.ts";
import { verifyRepeatedRows } from "../../src/verify/verify-repeated-rows.ts";
import { exchange } from "../replay-server.ts";
import { madeRow, noise, tensorOfRows, tokensOf } from "./made-rows.ts";

/** Rows of these tokens in two layers; from `restart` on they are those from 0 once more, each number a little off. */
function made(ids: readonly number[], restart = ids.length, off = 0.01): Tensor {
  const next = noise(5);
  const rows = [3, 9].map((layer) =>
    ids.map((_, p) => {
      const at = p < restart ? p : p - restart;
      return madeRow(layer, ids[at] ?? 0, at).map((value) => value * (1 + (p < restart ? 0 : off * next())));
    }),
  );
  return tensorOfRows(rows);
}
const repeatedRows = (tensor: Tensor, tokens: readonly CapturedToken[], changedFrom = Infinity) =>
  verifyRepeatedRows({ layers: [3, 9], tensor, tokens, changedFrom });
const verify = (ids: readonly number[], restart?: number) => repeatedRows(made(ids, restart), tokensOf(ids));
const codeOf = (act: () => { status: string }) => {
  try {
    return act().status;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe("C13: rows of a preempted request", () => {
  it("of a real server are refused, and where they begin again is told", async () => {
    const { response_body: body } = exchange("preempted");
    const { activations, choices } = JSON.parse(body) as {
      activations: { residual_stream: object };
      choices: { prompt_token_ids: number[]; token_ids: number[] }[];
    };
    const tensor = await decodeTensor(activations.residual_stream);
    const { prompt_token_ids: prompt = [], token_ids: generated = [] } = choices[0] ?? {};
    const tokens = tokensOf([...prompt, ...generated]);
    expect(() => repeatedRows(tensor, tokens)).toThrow("rows 112 to 170 are rows 0 to 58 once more");
    // The part before is right.
    const values = tensorValues(tensor, 0, 112 * 576);
    const before: Tensor = { dtype: "float32", shape: [1, 112, 576], values };
    expect(repeatedRows(before, tokens).status).toBe("pass");
  });

  it("are refused wherever the run begins again, and right ones never are", () => {
    const ids = fc.uniqueArray(fc.nat(50_000), { minLength: 12, maxLength: 40 });
    fc.assert(
      fc.property(ids, fc.nat(), (list, n) => {
        // At least five rows to the end, and no more than came before.
        const least = Math.ceil(list.length / 2);
        const restart = least + (n % (list.length - 4 - least));
        expect(codeOf(() => verify(list))).toBe("pass");
        expect(codeOf(() => verify(list, restart))).toBe("repeated_rows");
      }),
      { numRuns: 60 },
    );
  });

  it("are refused after two preemptions", () => {
    const ids = Array.from({ length: 12 }, (_, i) => i);
    const rows = [3, 9].map((layer) => ids.map((_, p) => madeRow(layer, p % 5, p % 5)));
    const twice = tensorOfRows(rows);
    expect(() => repeatedRows(twice, tokensOf(ids))).toThrow("rows 5 to 9 are rows 0 to 4");
  });

  it("are known by the texts of tokens where ids are not known", () => {
    const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const texts = ids.map((id): CapturedToken => ({ id: null, text: `t${id}`, role: "prompt" }));
    expect(codeOf(() => repeatedRows(made(ids, 5), texts))).toBe("repeated_rows");
  });
});

describe("rows that may be equal are not refused", () => {
  it("a run that ends within the prompt; one that holds the prompt and goes on is refused", () => {
    const ids = Array.from({ length: 40 }, (_, i) => i);
    const begin = (prompt: number) =>
      tokensOf(ids).map((token, p): CapturedToken => ({
        ...token,
        role: p < prompt ? "prompt" : "generated",
      }));
    // Rows 10 to 19 are rows 0 to 9; behind them stand rows of their own.
    const rows = [3, 9].map((layer) => ids.map((_, p) => madeRow(layer, p < 10 || p > 19 ? p : p - 10, 0)));
    expect(repeatedRows(tensorOfRows(rows), begin(40)).status).toBe("pass");
    expect(codeOf(() => repeatedRows(tensorOfRows(rows), begin(8)))).toBe("repeated_rows");
  });

  it("a few tokens, or many that are others in few ways", () => {
    expect(verify([1, 2, 3, 4, 5, 6, 7, 8], 4).status).toBe("unverified");
    const ids = [1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4];
    const rows = [3, 9].map((layer) => ids.map((_, p) => madeRow(layer, p % 6, 0)));
    expect(repeatedRows(tensorOfRows(rows), tokensOf(ids)).status).toBe("unverified");
  });

  it("rows that are near and not computed twice", () => {
    const ids = Array.from({ length: 20 }, (_, i) => i);
    expect(codeOf(() => repeatedRows(made(ids, 10, 0.01), tokensOf(ids)))).toBe("repeated_rows");
    expect(repeatedRows(made(ids, 10, 0.15), tokensOf(ids)).status).toBe("pass");
  });

  it("rows at layers that the request changes", () => {
    const ids = Array.from({ length: 20 }, (_, i) => i);
    const own = made(ids);
    const twice = made(ids, 10);
    if (own.dtype !== "bfloat16" || twice.dtype !== "bfloat16") throw new Error("made otherwise");
    const bits = Uint16Array.from([...own.bits.subarray(0, 20 * 64), ...twice.bits.subarray(20 * 64)]);
    const upper: Tensor = { ...own, bits };
    expect(repeatedRows(upper, tokensOf(ids), 9).status).toBe("pass");
    expect(repeatedRows(twice, tokensOf(ids), 3)).toMatchObject({ status: "unverified" });
    expect(codeOf(() => repeatedRows(twice, tokensOf(ids), 9))).toBe("repeated_rows");
  });

  it("one token 300 times, alone and before others", () => {
    const same = Array<number>(300).fill(504);
    const alike = tensorOfRows([same.map(() => madeRow(3, 504, 0))]);
    expect(repeatedRows(alike, tokensOf(same))).toMatchObject({ status: "unverified" });
    const before = [...Array<number>(5).fill(504), 7, 8, ...Array<number>(5).fill(504), 9];
    const rows = before.map((id, p) => (id === 504 && p < 5 ? madeRow(3, 504, 0) : madeRow(3, id, p)));
    expect(repeatedRows(tensorOfRows([rows]), tokensOf(before)).status).toBe("pass");
  });

  it("a text that repeats with its rows", () => {
    const ids = [1, 2, 3, 4, 1, 2, 3, 4];
    const rows = ids.map((id) => madeRow(3, id, 0));
    expect(repeatedRows(tensorOfRows([rows]), tokensOf(ids))).toMatchObject({
      status: "unverified",
      detail: expect.stringContaining("their tokens are no others") as string,
    });
  });

  it("a last row that is the first: too little to tell", () => {
    expect(verify([1, 2, 3, 4], 3).status).toBe("unverified");
  });

  it("rows that strong steering made all but one", () => {
    const vector = madeRow(1, 1, 1).map((value) => 400 * value);
    const ids = Array.from({ length: 20 }, (_, i) => i);
    const rows = ids.map((id, p) => madeRow(3, id, p).map((value, i) => value + (vector[i] ?? 0)));
    expect(repeatedRows(tensorOfRows([rows]), tokensOf(ids)).status).toBe("pass");
  });

  it("a few equal huge numbers in rows that differ otherwise", () => {
    const ids = [1, 2, 3, 4, 5, 6];
    const rows = ids.map((id, p) =>
      madeRow(3, id, p).map((value, i) => (i < 4 && p % 3 === 0 ? 20_000 : value)),
    );
    expect(repeatedRows(tensorOfRows([rows]), tokensOf(ids)).status).toBe("pass");
  });

  it("rows at one layer of several", () => {
    const ids = [1, 2, 3, 4, 5, 6];
    const rows = [ids.map((_, p) => madeRow(3, p % 3, p % 3)), ids.map((id, p) => madeRow(9, id, p))];
    expect(repeatedRows(tensorOfRows(rows), tokensOf(ids)).status).toBe("pass");
  });
});
