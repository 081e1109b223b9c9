import type { ColumnField, ColumnValue, RowBlock, RowNumbers, RowStream } from "@residua/analysis";
import type { DatasetSize } from "./dataset-task.ts";

const column = (name: string, type: ColumnField["type"], role: ColumnField["role"] = "standard") => ({
  name,
  type,
  nullable: false,
  role,
});
const fields: ColumnField[] = [
  column("example", "utf8"),
  column("group", "utf8"),
  column("truth", "bool", "label"),
  column("position", "int32"),
  column("token_id", "int32"),
  column("token", "utf8"),
];
const cells: Readonly<Record<string, (row: number) => ColumnValue>> = {
  example: (row) => `example-${row}`,
  group: (row) => `group-${row % 50}`,
  truth: (row) => row % 3 === 0,
  position: (row) => row % 512,
  token_id: (row) => row % 49_152,
  token: (row) => ` token${row % 1000}`,
};

/** Rows of one layer, made block by block: normal numbers, different in each row. */
export function madeRows({ rows, hiddenSize, dtype }: DatasetSize): RowStream {
  return {
    rows,
    layers: [0],
    hiddenSize,
    dtype,
    fields,
    // eslint-disable-next-line @typescript-eslint/require-await
    async *blocks({ rows: most = 16_384 } = {}): AsyncGenerator<RowBlock> {
      const pattern = madeNumbers(Math.min(most, rows) * hiddenSize, dtype);
      for (let first = 0; first < rows; first += most) {
        const count = Math.min(most, rows - first);
        const numbers = pattern.slice(0, count * hiddenSize);
        numbers[0] = first % 16_000;
        const columns = fields.map(({ name }): [string, ColumnValue[]] => [
          name,
          Array.from({ length: count }, (_, row) => cells[name]!(first + row)),
        ]);
        yield { rows: count, columns: new Map(columns), layers: [numbers] };
      }
    },
  };
}

function madeNumbers(length: number, dtype: DatasetSize["dtype"]): RowNumbers {
  if (dtype === "bfloat16") return new Uint16Array(length).map((_, i) => (i * 40_503) % 32_000);
  return new Float32Array(length).map((_, i) => ((i * 7919) % 20_011) / 10_000 - 1);
}
