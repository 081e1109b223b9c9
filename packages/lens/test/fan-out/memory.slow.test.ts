import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { lensAt } from "../lens-at.ts";
import { rightAnswer } from "../replay-server.ts";

const capabilities = { max_model_len: 1024, n_layers: 4, hidden_size: 2048, vocab_size: 900 };
const prompt = Array.from({ length: 16 }, (_, i) => i + 1);
const layers = [0, 1, 2, 3];

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it("C26: 1 000 captures, one row of each kept, leave no more in memory than those rows (C25)", async () => {
  // A quarter of a mebibyte of bfloat16 each.
  const request = { model: "wide", prompt, layers };
  const answer = JSON.stringify(
    rightAnswer({ ...request, max_tokens: 1, output_residual_stream: layers }, { hiddenSize: 2048 }),
  );
  const { lens } = await lensAt(() => answer, [{ id: "wide", capabilities }]);
  const rows: Float32Array[] = [];
  let early = 0;
  let most = 0;
  for await (const { capture, error } of lens.captureMany({
    ...request,
    prompt: Array<number[]>(1000).fill(prompt),
  })) {
    if (capture === undefined) throw error;
    rows.push(capture.row({ layer: 2, position: -1 }));
    if (rows.length === 200) early = bytesInUse();
    if (rows.length % 100 === 0) most = Math.max(most, bytesInUse());
  }
  expect(rows).toHaveLength(1000);
  const grown = bytesInUse() - early;
  console.log(
    `${Math.round(early / 1e6)} MB after 200, ${Math.round(grown / 1e6)} MB more after 1 000, ${Math.round(most / 1e6)} MB at most`,
  );
  // 800 rows are 6.6 MB; 800 captures would be 210 MB.
  expect(grown).toBeLessThan(30e6);
  expect(most - early).toBeLessThan(100e6);
}, 300_000);
