import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeTensor } from "../../src/index.ts";
import { base64Of, storedZstd } from "../../src/self-test/tensor-bytes.ts";

test("stored zstd frames are read by the decoder, at the sizes of one block and of several", async () => {
  for (const length of [1, 7, 2 ** 16, 2 ** 16 + 1, 3 * 2 ** 16 + 5]) {
    const values = Float32Array.from({ length }, (_, i) => i / 3);
    const data = base64Of(storedZstd(new Uint8Array(values.buffer)));
    const tensor = await decodeTensor({ data, dtype: "float32", shape: [length], compression: "zstd" });
    expect(tensor).toMatchObject({ dtype: "float32", values });
  }
});

test("any bytes come back", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.float({ noNaN: true }), { minLength: 1 }), async (numbers) => {
      const values = Float32Array.from(numbers);
      const data = base64Of(storedZstd(new Uint8Array(values.buffer)));
      const tensor = await decodeTensor({
        data,
        dtype: "float32",
        shape: [numbers.length],
        compression: "zstd",
      });
      expect(tensor).toMatchObject({ values });
    }),
  );
});
