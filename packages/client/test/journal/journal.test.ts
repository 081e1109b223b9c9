import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { platform } from "#platform";
import { expect, it } from "vitest";
import { openJournal } from "../../src/journal/journal.ts";
import { asCompletion, type Completion } from "../../src/responses/completion.ts";
import { answer } from "../fault-server.ts";

it("keeps tensors that came as bytes as the wire has them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "residua-journal-"));
  const at = {
    path: join(folder, "run.jsonl"),
    changed: "refuse",
    profile: "acs",
    server: "http://[::1]/v1",
  } as const;
  const request = { model: "llama-8b", prompt: "a", max_tokens: 1 };
  const data = new Uint8Array([0, 255, 7, 1]).subarray(1);
  const activations = { residual_stream: { data, shape: [1, 1, 1] } };
  const completion = asCompletion({ ...answer(1), activations } as unknown as Completion, {
    prompts: 1,
    n: 1,
  });
  const first = await openJournal(platform.journals, at);
  const key = first.keyOf(request);
  await first.append([{ key, outcome: { index: 0, request, completion: completion! } }]);
  await first.close();
  expect(await readFile(at.path, "utf8")).toContain('"data":"/wcB"');
  const second = await openJournal(platform.journals, at);
  const entry = second.find(second.keyOf(request), 0);
  const read = (await entry?.read(request)) as { completion: Completion };
  expect(read.completion.activations).toEqual({ residual_stream: { data: "/wcB", shape: [1, 1, 1] } });
  await second.close();
  await rm(folder, { recursive: true });
});
