import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { decodeActivations } from "../../src/codec/decode-activations.ts";
import { tensorValues } from "../../src/codec/tensor-codec.ts";
import { TensorError } from "../../src/codec/tensor-error.ts";
import { codeOf, fixture, frames, ramp, rampWire } from "./codec-support.ts";
import { handleServer, recorded } from "./handle-server.ts";

const queries = JSON.parse(fixture("codec/queries.json").toString()) as {
  answer: string;
  sha256: Record<string, string>;
};

it("gives the queries and keys of attention, and what is no tensor", async () => {
  const { tensors, values } = await decodeActivations(JSON.parse(queries.answer));
  const shapes = Object.entries(tensors).map(([name, { shape }]) => [name, shape]);
  expect(Object.fromEntries(shapes)).toEqual({
    residual_stream: [1, 6, 576],
    attn_q: [1, 6, 9, 64],
    attn_k: [1, 6, 3, 64],
  });
  for (const [name, tensor] of Object.entries(tensors)) {
    const digest = createHash("sha256").update(tensorValues(tensor)).digest("hex");
    expect(digest, name).toBe(queries.sha256[name]);
  }
  expect(values).toMatchObject({ qk_layers: [2], qk_meta: [{ scale: 0.125, head_size: 64 }] });
});

it("fetches what is behind handles, with a client", async () => {
  const server = await handleServer();
  try {
    const { client } = server;
    const answer: unknown = JSON.parse(recorded.answer);
    const { residual_stream: tensor } = (await decodeActivations(answer, { client })).tensors;
    expect(tensor?.shape).toEqual([2, 8, 576]);
    await expect(decodeActivations(answer)).rejects.toMatchObject({
      code: "tensor_form",
      message: expect.stringMatching(
        /^residual_stream: .* decodeActivations\(answer, \{ client \}\)/,
      ) as unknown,
    });
  } finally {
    await server.close();
  }
});

it("names the entry that is wrong, and keeps names as they are", async () => {
  const plain = { ...rampWire, data: frames.plain };
  const odd = JSON.parse('{"__proto__": {"__json__": 1}, "a": {"__json__": null}}') as object;
  const { values, tensors } = await decodeActivations({ activations: { ...odd, q: plain } });
  expect(Object.entries(values)).toEqual([
    ["__proto__", 1],
    ["a", null],
  ]);
  expect([...tensorValues(tensors["q"] ?? (await Promise.reject(new Error("none"))))]).toEqual(ramp);
  const broken = { activations: { q: plain, k: { ...plain, shape: [2, 3, 5] } } };
  await expect(decodeActivations(broken)).rejects.toMatchObject({
    code: "tensor_size",
    message: expect.stringMatching(/^k: /) as unknown,
    data: { entry: "k" },
  });
  for (const none of [null, undefined, 3, {}, { activations: null }, { activations: 3 }])
    await expect(decodeActivations(none)).rejects.toThrow(TensorError);
  expect(await codeOf({ __json__: 1 })).toBe("tensor_form");
});
