// Run by Deno: a dataset to Parquet and back, and damaged files, of which some make the module panic, in between.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exportRows, importDataset, openDataset, readParquet, rowsHash } from "../../src/index.ts";

const [dataset = "", folder = ""] = process.argv.slice(2);
const path = join(folder, "a.parquet");
const source = await openDataset(dataset);
await exportRows(source, path, { format: "parquet", compression: "none" });
const whole = await readFile(path);
let panics = 0;
for (let at = 4; at < 1200 && panics === 0; at++) {
  const bytes = Buffer.from(whole);
  bytes[at] = 0;
  await writeFile(join(folder, "damaged.parquet"), bytes);
  panics += await readParquet(join(folder, "damaged.parquet"))
    .then((damaged) => damaged.column("example"))
    .then(
      () => 0,
      (error: Error) => Number((error.cause as Error | undefined)?.cause instanceof WebAssembly.RuntimeError),
    );
}
const back = await importDataset(path, join(folder, "back"));
console.log(
  JSON.stringify({ panicked: panics > 0, same: (await rowsHash(back)) === (await rowsHash(source)) }),
);
