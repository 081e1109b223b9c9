import { createClient } from "@residua/client";
import { describe, expect, it } from "vitest";
import { createLens } from "../../src/create-lens.ts";
import { tensorValues } from "../../src/codec/tensor-codec.ts";
import type { HookBlob } from "../../src/hooks/hook-blob.ts";
import { readHookResults } from "../../src/hooks/hook-results.ts";
import { lensAt } from "../lens-at.ts";
import { rightAnswer } from "../replay-server.ts";
import { exchangeOf, lensOf, recorded } from "./recorded-hooks.ts";

const hooksOf = (name: string) => (exchangeOf(name).body as { hooks: HookBlob[] }).hooks;
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => ({ code: "none" }),
    (error: unknown) => error as Error & { code: string },
  );

describe("hooks that stay, as a real server had them", () => {
  it("are registered as they are, and what they saved is collected request by request", async () => {
    const { lens, seen } = await lensOf("persist_register", "persist_collect", "persist_clear_results");
    expect(await lens.hooks.register(hooksOf("persist_register"))).toBe(1);
    const results = await lens.hooks.collect();
    expect(results.map(({ request, hook }) => [request, hook])).toEqual([
      ["cmpl-91203121d3df9ada-0-b0c26692", 0],
      ["0_cmpl-b1c040600bceea7f-0-9b318b6c", 0],
      ["1_cmpl-b1c040600bceea7f-0-9b318b6c", 0],
      ["chatcmpl-89c426b499f0cb5c-abfddac1", 0],
    ]);
    expect(results[0]?.values["norms"]).toEqual({
      kind: "json",
      value: [[130.435, 154.112, 113.147, 152.042, 126.671], [161.631], [142.007]],
    });
    expect(results[0]?.values["layer"]).toEqual({ kind: "json", value: 10 });
    const last = results[0]?.values["last"];
    expect(last).toMatchObject({ kind: "tensor", tensor: { dtype: "bfloat16", shape: [576] } });
    // The saved row is the last one, whose norm the hook noted too.
    const row = last?.kind === "tensor" ? tensorValues(last.tensor) : [];
    expect(Math.hypot(...row)).toBeCloseTo(142.007, 2);
    await lens.hooks.clearResults();
    expect(seen.map(({ path }) => path)).toEqual([
      "/v1/hooks/register",
      "/v1/hooks/collect",
      "/v1/hooks/clear_results",
    ]);
    // Not a byte of the blob is changed.
    expect(seen[0]?.body).toEqual(exchangeOf("persist_register").body);
  });

  it("are cleared, and nothing is then collected", async () => {
    const { lens, seen } = await lensOf("persist_clear", "persist_collect_empty");
    await lens.hooks.clear();
    expect(await lens.hooks.collect()).toEqual([]);
    expect(seen.map(({ path }) => path)).toEqual(["/v1/hooks/clear", "/v1/hooks/collect"]);
  });

  it("fail with the server's reason and the known causes", async () => {
    const { lens } = await lensOf("persist_register_bad_layer");
    const error = await failure(lens.hooks.register(hooksOf("persist_register_bad_layer")));
    expect(error).toMatchObject({ code: "hook_failed", name: "HookError", cause: { status: 500 } });
    expect((error as Error).message).toContain("layer_index 30 out of range [0, 30)");
    expect((error as Error).message).toContain("another Python version");
  });

  it("are unavailable where the plugin is off, and at other kinds of server, where nothing is sent", async () => {
    const { lens } = await lensOf("dis_collect");
    expect(await failure(lens.hooks.collect())).toMatchObject({
      code: "hooks_unavailable",
      message: expect.stringContaining("VLLM_LENS_DISABLE") as string,
    });
    const client = createClient({ baseURL: "http://127.0.0.1:9/v1", maxRetries: 0 });
    const acs = createLens(client);
    const hooks = hooksOf("persist_register");
    for (const asked of [
      acs.hooks.register(hooks),
      acs.hooks.collect(),
      acs.hooks.clear(),
      acs.hooks.clearResults(),
    ])
      expect(await failure(asked)).toMatchObject({
        code: "hooks_unavailable",
        message: expect.stringContaining("profile acs") as string,
      });
    await client.close();
    const server = await lensAt(rightAnswer);
    const request = {
      model: "tiny",
      prompt: "A",
      hooks: hooks.map((hook) => ({ ...hook, layer_indices: [1] })),
    };
    expect(await failure(server.lens.generate(request))).toMatchObject({ code: "hooks_unavailable" });
    expect(server.server.requests).toEqual([]);
  });

  it("are refused by their form before anything is sent", async () => {
    const { lens, seen } = await lensOf();
    const [blob] = hooksOf("persist_register");
    const bad: unknown[] = [
      [],
      "x",
      [null],
      [{ a: 1 }],
      [{ ...blob, layer_indices: [] }],
      [{ ...blob, layer_indices: [-1] }],
      [{ ...blob, layer_indices: [1.5] }],
      [{ ...blob, fn: "gAWV" }],
      [{ ...blob, fn: { cloudpickle: "not base64!" } }],
      [{ ...blob, pre: "yes" }],
      [blob, { ...blob, layers: [1] }],
    ];
    for (const hooks of bad)
      expect(await failure(lens.hooks.register(hooks as HookBlob[])), JSON.stringify(hooks)).toMatchObject({
        code: "invalid_request",
      });
    expect(seen).toEqual([]);
    await expect(lens.hooks.register([blob, { ...blob, layers: [1] }] as HookBlob[])).rejects.toThrow(
      "hook 1",
    );
  });
});

describe("hooks of one request", () => {
  const { body, answer } = exchangeOf("hook_per_request");
  const asked = body as { vllm_xargs: { apply_hooks: string }; prompt: string; max_tokens: number };
  const hooks = JSON.parse(asked.vllm_xargs.apply_hooks) as HookBlob[];
  const { vllm_xargs: _, ...fields } = asked;

  it("go where the server reads them, and their results are decoded as NumPy decodes them", async () => {
    const { lens, seen } = await lensOf("hook_per_request");
    const completion = await lens.generate({ ...fields, hooks });
    expect(completion.choices[0]?.text).toBe(" Paris.\n");
    const sent = (seen.at(-1)?.body as typeof asked).vllm_xargs.apply_hooks;
    expect(JSON.parse(sent)).toEqual(hooks);
    // What a hook changes must not stay in the prefix cache for others.
    expect(seen.at(-1)?.body).toHaveProperty("cache_salt", expect.stringMatching(/^[0-9a-f]{32}$/));
    const results = await readHookResults(completion);
    // The server gave "1" before "0".
    expect(Object.keys((JSON.parse(answer) as { hook_results: object }).hook_results)).toEqual(["0", "1"]);
    expect(results.map(({ request, hook }) => [request, hook])).toEqual([
      [undefined, 0],
      [undefined, 1],
    ]);
    const last = results[0]?.values["last"];
    const expected = new Float32Array(Uint8Array.from(Buffer.from(recorded.last, "base64")).buffer);
    expect(last?.kind === "tensor" ? tensorValues(last.tensor) : undefined).toEqual(expected);
    expect(results[1]?.values).toEqual({ pre_rows: { kind: "json", value: 1 } });
    expect(await readHookResults({ ...completion, hook_results: undefined })).toEqual([]);
  });

  it("a pickled result stays bytes, and an unknown form is an error", async () => {
    const { lens } = await lensOf("hook_per_request");
    const completion = await lens.generate({ ...fields, hooks });
    const withResult = (value: unknown) =>
      readHookResults({ ...completion, hook_results: { "0": { x: value } } });
    const [result] = await withResult({ __type__: "cloudpickle", data: "gAWVAA==" });
    expect(result?.values["x"]).toEqual({ kind: "pickle", bytes: Buffer.from("gAWVAA==", "base64") });
    for (const value of [{ __type__: "lambda" }, { __type__: "cloudpickle" }])
      expect(await failure(withResult(value))).toMatchObject({ code: "hook_result_form" });
    expect(await failure(withResult({ __type__: "tensor", shape: [1] }))).toMatchObject({
      code: "tensor_form",
    });
    for (const results of [[1], { a: {} }, { "0": 3 }, "x"])
      expect(await failure(readHookResults({ ...completion, hook_results: results }))).toMatchObject({
        code: "hook_result_form",
      });
    const own = await readHookResults({
      ...completion,
      hook_results: JSON.parse('{"0":{"__proto__":1}}') as unknown,
    });
    expect(Object.entries(own[0]?.values ?? {})).toEqual([["__proto__", { kind: "json", value: 1 }]]);
  });
});
