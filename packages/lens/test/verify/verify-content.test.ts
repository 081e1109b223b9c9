import { describe, expect, it } from "vitest";
import { rightAnswer } from "../replay-server.ts";
import { lensAt } from "../lens-at.ts";
import { verifyContent } from "../../src/verify/verify-content.ts";
import { madeRow, tensorOfRows } from "./made-rows.ts";

const zeros = Array<number>(64).fill(0);
const rows = (...layers: ((position: number) => number[])[]) =>
  tensorOfRows(layers.map((row) => [0, 1, 2].map(row)));
const own = (layer: number) => (position: number) => madeRow(layer, position, position);
const layers = [3, 9];

describe("rows that no model computes", () => {
  it("zeros at every position of a layer are refused, minus zeros too", () => {
    for (const zero of [zeros, zeros.map(() => -0)])
      expect(() =>
        verifyContent({ layers, tensor: rows(own(3), () => zero), changedFrom: Infinity }),
      ).toThrow("every number of layer 9 is zero");
    const values = new Float32Array(2 * 3 * 4).map((_, i) => (i < 12 ? i : -0));
    const tensor = { dtype: "float32", shape: [2, 3, 4], values } as const;
    expect(() => verifyContent({ layers, tensor, changedFrom: Infinity })).toThrow("layer 9 is zero");
  });

  it("two layers with the same bits are refused", () => {
    expect(() => verifyContent({ layers, tensor: rows(own(3), own(3)), changedFrom: Infinity })).toThrow(
      "layers 3 and 9 have the same bits at every position",
    );
  });

  it("are taken at layers that the request changes", () => {
    expect(verifyContent({ layers, tensor: rows(own(3), own(3)), changedFrom: 9 })[1]?.status).toBe("pass");
    expect(verifyContent({ layers, tensor: rows(own(3), () => zeros), changedFrom: 9 })[0]?.status).toBe(
      "pass",
    );
    const statuses = verifyContent({
      layers,
      tensor: rows(
        () => zeros,
        () => zeros,
      ),
      changedFrom: 0,
    });
    expect(statuses.map(({ status }) => status)).toEqual(["unverified", "unverified"]);
  });

  it("a row of zeros, and rows that are equal at some positions, are no fault", () => {
    const some = (layer: number) => (position: number) => (position === 1 ? zeros : own(layer)(position));
    const checks = verifyContent({ layers, tensor: rows(some(3), some(9)), changedFrom: Infinity });
    expect(checks.map(({ status }) => status)).toEqual(["pass", "pass"]);
  });

  it("are refused by lens.capture", async () => {
    const { lens } = await lensAt((sent) => rightAnswer(sent, { change: (values) => values.fill(0) }));
    await expect(lens.capture({ prompt: "The sky", layers: [1, 3] })).rejects.toMatchObject({
      code: "zero_rows",
    });
    const same = await lensAt((sent) =>
      rightAnswer(sent, { change: (values) => values.copyWithin(values.length / 2, 0) }),
    );
    await expect(same.lens.capture({ prompt: "The sky", layers: [1, 3] })).rejects.toMatchObject({
      code: "equal_layers",
    });
  });
});

it.each(["abort", "error"])("an answer that ends with %s is refused", async (reason) => {
  const { lens } = await lensAt((sent) => {
    const answer = rightAnswer(sent);
    const [choice] = answer["choices"] as object[];
    return { ...answer, choices: [{ ...choice, finish_reason: reason }] };
  });
  await expect(lens.capture({ prompt: "The sky", layers: [1] })).rejects.toMatchObject({
    code: "finish_reason",
    data: { finishReason: reason },
  });
});
