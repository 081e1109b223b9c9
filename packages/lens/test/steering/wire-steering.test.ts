import { describe, expect, it } from "vitest";
import { decodeTensor, tensorValues } from "../../src/codec/tensor-codec.ts";
import { steeringVector } from "../../src/steering/steering-vector.ts";
import { wireSteering } from "../../src/steering/wire-steering.ts";

describe("wireSteering", () => {
  it("is [layers, hidden] for every position and [layers, positions, hidden] for some", async () => {
    const rows = { 3: [1, 2], 1: [5, 6] };
    const all = await wireSteering(steeringVector({ rows, scale: 0.5 }));
    expect(all).toMatchObject({ layer_indices: [1, 3], scale: 0.5, norm_match: false });
    expect(all).not.toHaveProperty("position_indices");
    expect(all.activations.shape).toEqual([2, 2]);
    expect([...tensorValues(await decodeTensor(all.activations))]).toEqual([5, 6, 1, 2]);

    const some = await wireSteering(steeringVector({ rows, normMatch: true, positions: [7, 0, 2] }));
    expect(some).toMatchObject({ norm_match: true, position_indices: [0, 2, 7] });
    expect(some.activations).toMatchObject({
      shape: [2, 3, 2],
      dtype: "float32",
      original_dtype: "torch.float32",
    });
    expect([...tensorValues(await decodeTensor(some.activations))]).toEqual([
      5, 6, 5, 6, 5, 6, 1, 2, 1, 2, 1, 2,
    ]);
  });

  it("sends rows that normMatch divides by a norm near 1e-6, or too large to square, with norm 1", async () => {
    /** What vLLM makes of it, in float32. */
    const share = async (row: number[]) => {
      const wire = await wireSteering(steeringVector({ rows: { 1: row }, normMatch: true }));
      const sent = tensorValues(await decodeTensor(wire.activations));
      const length = Math.fround(Math.sqrt(sent.reduce((sum, value) => Math.fround(sum + value * value), 0)));
      return Array.from(sent, (value) => value / (length + 1e-6));
    };
    for (const size of [1e-42, 1e-30, 1e-7, 1e-6, 1e-3, 0.09, 0.11, 1, 9e5, 1e7, 1e25, 1e38]) {
      const [x = 0, y = 0] = await share([3 * size, -2 * size]);
      // Numbers next to the smallest have few digits of their own.
      const within = size < 1e-38 ? 1e-2 : 1e-5;
      expect(Math.abs(x * Math.sqrt(13) - 3), `${size}`).toBeLessThan(3 * within);
      expect(Math.abs(y * Math.sqrt(13) + 2), `${size}`).toBeLessThan(3 * within);
    }
    const short = steeringVector({ rows: { 1: [1e-3, 0] } });
    const plain = await wireSteering(short);
    expect([...tensorValues(await decodeTensor(plain.activations))]).toEqual([Math.fround(1e-3), 0]);
    const each = {
      rows: {
        1: [
          [1e-7, 0],
          [4, 0],
        ],
      },
      positions: [2, 5],
      normMatch: true,
    };
    const rows = await wireSteering(steeringVector(each));
    expect([...tensorValues(await decodeTensor(rows.activations))]).toEqual([1, 0, 4, 0]);
  });

  it("is packed from a length on: as bfloat16 where that loses nothing, then in a zstd frame", async () => {
    const packed = async (row: Float32Array, from: number) => {
      const { activations } = await wireSteering(steeringVector({ rows: { 2: row } }), from);
      expect(tensorValues(await decodeTensor(activations))).toEqual(row);
      return { ...activations, data: activations.data.length };
    };
    const exact = Float32Array.from({ length: 1200 }, (_, i) => (i % 7) / 8 - 1);
    expect(await packed(exact, 6400)).toMatchObject({ dtype: "float32", data: 6400 });
    const bits = { dtype: "int16", original_dtype: "torch.bfloat16", shape: [1, 1200] };
    const short = await packed(exact, 6399);
    expect(short).toMatchObject({ ...bits, data: 3200 });
    expect(short).not.toHaveProperty("compression");
    const frame = await packed(exact, 3199);
    expect(frame).toMatchObject({ ...bits, compression: "zstd" });
    expect(frame.data).toBeLessThan(200);
    const wide = Float32Array.from({ length: 1200 }, (_, i) => (i % 3) / 3);
    expect(await packed(wide, 6399)).toMatchObject({ dtype: "float32", compression: "zstd" });
    // What does not shrink is sent as it is.
    const noise = Float32Array.from({ length: 16 }, (_, i) => Math.sin(i * 78.233) * 3);
    const sent = await packed(noise, 10);
    expect(sent).toMatchObject({ dtype: "float32", data: 88 });
    expect(sent).not.toHaveProperty("compression");
  });
});
