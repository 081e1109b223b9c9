import { createRandom, type ColumnField, type RowBlock, type RowStream } from "@residua/analysis";
import { float32ToBf16 } from "@residua/lens";
import { layerLikeRows } from "./layer-like-rows.ts";

const blockRows = 16_384;

const field = (name: string, type: ColumnField["type"], role: ColumnField["role"]): ColumnField => ({
  name,
  type,
  nullable: false,
  role,
});

/** Bfloat16 rows of one layer that tell a label in part, made block by block: one block of factors, with other noise each time. */
export function labelledRows({ rows, hiddenSize }: { rows: number; hiddenSize: number }): RowStream {
  return {
    rows,
    layers: [0],
    hiddenSize,
    dtype: "bfloat16",
    fields: [
      field("example", "utf8", "standard"),
      field("group", "utf8", "standard"),
      field("truth", "bool", "label"),
    ],
    // eslint-disable-next-line @typescript-eslint/require-await
    async *blocks(): AsyncGenerator<RowBlock> {
      const { values, labels } = layerLikeRows({
        rows: Math.min(blockRows, rows),
        width: hiddenSize,
        seed: 0,
      });
      const random = createRandom(0, "labelled rows");
      const noise = Float32Array.from({ length: 2 ** 20 }, () => 3 * random.gaussian());
      const moved = new Float32Array(values.length);
      for (let first = 0; first < rows; first += blockRows) {
        const count = Math.min(blockRows, rows - first);
        for (let row = 0; row < count; row++) {
          const from = random.below(noise.length - hiddenSize);
          const start = row * hiddenSize;
          for (let j = 0; j < hiddenSize; j++) moved[start + j] = values[start + j]! + noise[from + j]!;
        }
        const names = Array.from({ length: count }, (_, row) => `${first + row}`);
        yield {
          rows: count,
          columns: new Map<string, (string | boolean)[]>([
            ["example", names],
            ["group", names],
            ["truth", names.map((_, row) => labels[row] === 1)],
          ]),
          layers: [float32ToBf16(moved.subarray(0, count * hiddenSize))],
        };
      }
    },
  };
}
