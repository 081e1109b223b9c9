import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { loadTensor, type TensorSource } from "../../src/codec/load-tensor.ts";
import { tensorValues } from "../../src/codec/tensor-codec.ts";
import { TensorError } from "../../src/codec/tensor-error.ts";
import { createLens } from "../../src/create-lens.ts";
import { acsProfile } from "../../src/profiles/acs-profile.ts";
import { vllmProfile } from "../../src/profiles/vllm-profile.ts";
import { handleServer, type HandleServer, type OtherRoute, recorded } from "./handle-server.ts";

const open: HandleServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
async function serve(route: OtherRoute = {}) {
  const server = await handleServer(route);
  open.push(server);
  const source: TensorSource = { client: server.client, profile: vllmProfile };
  return { ...server, source };
}

const sha256 = (values: Float32Array) => createHash("sha256").update(values).digest("hex");
const { residual_stream: entry } = (
  JSON.parse(recorded.answer) as { activations: { residual_stream: { handle: string; nbytes: number } } }
).activations;
const codeOf = (source: TensorSource, wire: unknown) =>
  loadTensor(source, wire).then(
    () => "taken",
    (error: unknown) => (error instanceof TensorError ? error.code : String(error)),
  );

describe("a tensor behind a handle", () => {
  it("is fetched, and is what the server's own reader made of it", async () => {
    const { source, fetched } = await serve();
    const tensor = await loadTensor(source, entry);
    expect([tensor.dtype, tensor.shape]).toEqual(["bfloat16", [2, 8, 576]]);
    expect(sha256(tensorValues(tensor))).toBe(recorded.sha256);
    expect(fetched).toEqual([recorded.path]);
  });

  it("is a capture like any other, when binary: true asks for it", async () => {
    const { client, bodies, fetched } = await serve();
    const lens = createLens(client);
    const request = { prompt: "The capital of France is", layers: [2, 20], max_tokens: 4, binary: true };
    const capture = await lens.capture(request);
    const values = Float32Array.from([...capture.eachLayer()].flatMap(({ values: layer }) => [...layer]));
    expect(sha256(values)).toBe(recorded.sha256);
    expect(bodies[0]?.vllm_xargs).toMatchObject({ activations_transport: "binary" });
    expect(bodies[0]).not.toHaveProperty("binary");
    expect(fetched).toHaveLength(1);
    const plain = handlesAsked(await lens.capture({ ...request, binary: false }), bodies[1]);
    expect(plain).not.toHaveProperty("activations_transport");
  });

  it.each([
    ["dtype", { "x-vllm-lens-dtype": "float16" }],
    ["original_dtype", { "x-vllm-lens-original-dtype": "torch.int16" }],
    ["shape", { "x-vllm-lens-shape": "[8, 2, 576]" }],
    ["shape", { "x-vllm-lens-shape": "2x8x576" }],
    ["compression", { "x-vllm-lens-compression": "none" }],
  ])("is refused when the header of its %s says otherwise", async (field, headers) => {
    const { source } = await serve({ headers });
    await expect(loadTensor(source, entry)).rejects.toMatchObject({
      code: "handle_mismatch",
      data: { field },
    });
  });

  it("is taken without those headers, which a proxy may drop", async () => {
    const none = Object.fromEntries(Object.keys(recorded.headers).map((name) => [name, undefined]));
    const { source } = await serve({ headers: { ...none, "content-length": undefined } });
    expect(await codeOf(source, entry)).toBe("taken");
  });

  it("is refused with more or fewer bytes than its entry says", async () => {
    const { source } = await serve({ body: Buffer.from(recorded.body, "base64").subarray(1) });
    await expect(loadTensor(source, entry)).rejects.toThrow("nbytes is 14899, and 14898 came");
    const { source: right, fetched } = await serve();
    expect(await codeOf(right, { ...entry, nbytes: 1_000_000 })).toBe("tensor_size");
    expect(fetched).toEqual([]);
  });

  it("that the server has no more is an error that says what to do", async () => {
    const { source } = await serve({ status: 404 });
    await expect(loadTensor(source, entry)).rejects.toMatchObject({
      code: "handle_expired",
      message: expect.stringMatching(/Capture again, .*a smaller `window`.*; without binary/) as unknown,
    });
    const { source: failing } = await serve({ status: 500 });
    await expect(loadTensor(failing, entry)).rejects.toMatchObject({ name: "APIError", status: 500 });
  });

  it("is not asked for when it is none", async () => {
    const { source, fetched } = await serve();
    for (const handle of ["../models", "a/b", "", "é", "x".repeat(257)])
      expect(await codeOf(source, { ...entry, handle }), handle).toBe("tensor_form");
    expect(await codeOf(source, { ...entry, nbytes: -1 })).toBe("tensor_form");
    expect(await codeOf(source, { ...entry, data: "AAAA" })).toBe("tensor_form");
    expect(await codeOf(source, { __json__: [2] })).toBe("tensor_form");
    expect(await codeOf({ ...source, profile: acsProfile }, entry)).toBe("handle_route");
    expect(fetched).toEqual([]);
  });
});

it("binary: true is refused before sending where the server has no such route", async () => {
  const { client, bodies } = await serve();
  const lens = createLens(client, { profile: "acs" });
  await expect(lens.capture({ prompt: "a", layers: [2], binary: true })).rejects.toMatchObject({
    code: "invalid_option",
    message: expect.stringContaining("leave it out") as unknown,
  });
  await expect(
    createLens(client).capture({ prompt: "a", layers: [2], binary: 1 as unknown as boolean }),
  ).rejects.toMatchObject({ code: "invalid_request" });
  expect(bodies).toEqual([]);
});

function handlesAsked(_: unknown, body: HandleServer["bodies"][number] | undefined): object {
  return body?.vllm_xargs ?? {};
}
