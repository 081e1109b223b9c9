import { type Client, createClient } from "@residua/client";
import { createLens, depth, type Lens } from "@residua/lens";
import type { Model } from "@residua/engine";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { loadChatModel } from "../quirks/quirk-support.ts";
import { type Running, start } from "../support.ts";

const prompt = "The city of Rome is in";
const every = [0, 1, 2, 3, 4, 5];

/** vLLM's catalogue states no number of layers. */
describe("all layers of a model whose depth is not known", () => {
  let model: Model;
  let running: Running;
  let client: Client<"vllm">;
  let lens: Lens<"vllm">;
  beforeAll(async () => {
    model = await loadChatModel();
    running = await start({ model, profile: "vllm", drainTimeout: 50 });
  });
  afterAll(async () => {
    await running.server.close();
    await model.dispose();
  });
  beforeEach(() => {
    client = createClient({ baseURL: running.server.url, profile: "vllm" });
    lens = createLens(client);
  });
  afterEach(() => client.close());

  const teachers = {
    "a capture of all": async () => {
      expect((await lens.capture({ model: "tiny", prompt, layers: "all" })).layers).toEqual(every);
    },
    "one of captureMany": async () => {
      for await (const { capture } of lens.captureMany({ model: "tiny", prompt: [prompt], layers: "all" }))
        expect(capture?.layers).toEqual(every);
    },
    "a self-test": async () => {
      await lens.selfTest({ model: "tiny", checks: ["S1"] });
    },
  };

  test.each(Object.entries(teachers))("%s teaches the depth", async (_name, teach) => {
    const layers = [depth(0.5)];
    await expect(lens.capture({ model: "tiny", prompt, layers })).rejects.toThrow("is not known");
    await teach();
    expect((await lens.describe("tiny")).layers).toEqual({ value: 6, source: "observed" });
    expect((await lens.capture({ model: "tiny", prompt, layers })).layers).toEqual([3]);
    await expect(lens.capture({ model: "tiny", prompt, layers: [99] })).rejects.toThrow(
      "layers: 99; allowed: 0 to 5 (tiny has 6 layers, as an earlier capture of all showed)",
    );
    expect((await lens.capture({ model: "tiny", prompt, layers: "all" })).layers).toEqual(every);
  });
});
