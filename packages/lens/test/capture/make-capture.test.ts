import { describe, expect, it } from "vitest";
import { bf16ToFloat32, float32ToBf16 } from "../../src/codec/bfloat16.ts";
import { madeCapture } from "../select/made-capture.ts";

const names = [null, "The", " sky", " is"];
const capture = madeCapture({ prompt: "The sky is", names });
/** Number i of the row of layer L and position p. */
const made = (layer: number, position: number, i: number) => layer * 100 + position + i / 4;
const rowOf = (layer: number, position: number) =>
  bf16ToFloat32(float32ToBf16(Float32Array.from({ length: 4 }, (_, i) => made(layer, position, i))));

describe("readers", () => {
  it("give one position of every layer, and the rows and layers in order", () => {
    const { positions, layers, hiddenSize } = capture;
    expect([positions, layers, hiddenSize]).toEqual([4, [2, 5], 4]);
    const at = capture.position(-1);
    expect(at).toEqual(
      Float32Array.of(...capture.row({ layer: 2, position: 3 }), ...capture.row({ layer: 5, position: 3 })),
    );
    expect(() => capture.position(4)).toThrow("captured: 0 to 3, or -4 to -1");
    const rows = [...capture.rows(5)];
    expect(rows).toEqual([0, 1, 2, 3].map((position) => capture.row({ layer: 5, position })));
    expect(Float32Array.from(rows.flatMap((row) => [...row]))).toEqual(capture.layer(5));
    expect([...capture.eachLayer()]).toEqual(
      layers.map((layer) => ({ layer, values: capture.layer(layer) })),
    );
    expect(() => capture.rows(3)).toThrow(expect.objectContaining({ code: "layer_not_captured" }));
  });

  it("give the planted numbers", () => {
    for (const layer of [2, 5])
      for (let p = 0; p < 4; p++) expect(capture.row({ layer, position: p })).toEqual(rowOf(layer, p));
  });

  it("can be gone through twice, and make a row only when it is reached", () => {
    const rows = capture.rows(2);
    expect([...rows]).toEqual([...rows]);
    for (const row of rows) {
      row.fill(0);
      break;
    }
    expect([...rows][0]).toEqual(rowOf(2, 0));
  });

  it("C25: copy, so that nothing that they give is a window on the capture", () => {
    const given = [
      capture.row({ layer: 2, position: 0 }),
      capture.rowBits({ layer: 2, position: 0 }),
      capture.layer(5),
      capture.position(0),
      ...capture.rows(2),
      ...[...capture.eachLayer()].map(({ values }) => values),
    ];
    for (const values of given) {
      expect(values.buffer.byteLength).toBe(values.byteLength);
      values.fill(7);
    }
    expect(capture.row({ layer: 2, position: 0 })).toEqual(rowOf(2, 0));
  });

  it("layer fills what it is given", () => {
    for (const dtype of ["bfloat16", "float32"] as const) {
      const mine = madeCapture({ prompt: "The sky is", names, dtype });
      const room = new Float32Array(40);
      const into = room.subarray(3, 19);
      expect(mine.layer(5, into)).toBe(into);
      expect(into).toEqual(mine.layer(5));
      expect([room[2], room[19]]).toEqual([0, 0]);
      for (const length of [15, 17])
        expect(() => mine.layer(5, new Float32Array(length))).toThrow(
          `room for ${length} numbers; there are 16`,
        );
    }
  });

  it("view is the capture's own numbers, as bits or as float32", () => {
    const mine = madeCapture({ prompt: "The sky is", names });
    const bits = mine.view(5);
    expect(bits).toBeInstanceOf(Uint16Array);
    expect(bits.length).toBe(16);
    expect(bits.buffer).toBe(mine.view(2).buffer);
    expect(bits.subarray(4, 8)).toEqual(mine.rowBits({ layer: 5, position: 1 }));
    const floats = madeCapture({ prompt: "The sky is", names, dtype: "float32" }).view(5);
    expect(floats).toBeInstanceOf(Float32Array);
    expect(floats[4]).toBe(made(5, 1, 0));
  });
});
