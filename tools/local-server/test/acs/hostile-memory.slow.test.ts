import { expect, test } from "vitest";
import { compressZstd } from "@residua/engine/api";
import { megabyte, memoryInUse } from "../heap.ts";
import { refused as refusal, start, tinyConfig } from "../support.ts";
import { deep, withField } from "./hostile-json.ts";

const { hidden_size: hiddenSize, vocab_size: vocabulary } = tinyConfig;

test("memory is flat under bodies that are long, deep or bombs", async () => {
  const running = await start();
  const refused = (body: unknown, code?: string) => refusal(running, body, code);
  const long = Array.from({ length: 100_000 }, (_, i) => i % vocabulary);
  const bomb = Buffer.from(compressZstd(new Uint8Array(64 * megabyte))).toString("base64");
  const tensor = { data: bomb, dtype: "float32", shape: [1, hiddenSize], compression: "zstd" };
  const wave = async () => {
    await Promise.all([
      refused(withField("prompt", deep("[", "]", 500_000))),
      refused(withField("user", `[${"1,".repeat(500_000)}1]`)),
      refused({ prompt: long, max_tokens: 1 }, "context_length_exceeded"),
      refused({ prompt: "a".repeat(8 * megabyte), max_tokens: 1 }, "context_length_exceeded"),
      refused({ prompt: "a", apply_steering_vectors: [{ activations: tensor, layer_indices: [0] }] }),
      refused("[".repeat(4 * megabyte), "bad_json"),
    ]);
  };
  await wave();
  await wave();
  const before = await memoryInUse();
  for (let i = 0; i < 10; i++) await wave();
  const after = await memoryInUse();
  expect(after.used - before.used).toBeLessThan(8 * megabyte);
  expect(after.rss - before.rss).toBeLessThan(160 * megabyte);
  await running.close();
  expect(running.logged).toEqual([]);
});
