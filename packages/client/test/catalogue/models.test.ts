import { describe, expect, it } from "vitest";
import { APIError, InvalidRequestError, ResiduaError } from "../../src/index.ts";
import { caught, setup } from "../client-support.ts";
import { answer, json, type Script } from "../fault-server.ts";

const tiny = {
  id: "tiny",
  object: "model",
  owned_by: "residua",
  served_model_name: "residua/tiny",
  status: "live",
  capabilities: {
    max_model_len: 1024,
    n_layers: 5,
    hidden_size: 96,
    vocab_size: 900,
    bos_token_id: 0,
    max_inflight_per_key: 16,
    new_one: { x: 1 },
  },
};
const card = {
  id: "smollm2",
  object: "model",
  created: 1795953320,
  owned_by: "vllm",
  root: "HuggingFaceTB/SmolLM2-135M",
  parent: null,
  max_model_len: 1024,
  permission: [],
};
const adapter = {
  ...card,
  id: "smollm2-lora",
  root: "/adapters/one",
  parent: "smollm2",
  max_model_len: null,
};

const listing =
  (...data: object[]): Script =>
  (_, response) =>
    json(response, 200, { object: "list", data });

describe("list, retrieve and status", () => {
  it("list asks each time and reads leniently; what it brought serves the others", async () => {
    const { client, server } = await setup(listing(tiny, card));
    const [first, second] = await client.models.list();
    expect(first).toEqual(tiny);
    expect(second).toMatchObject({ root: "HuggingFaceTB/SmolLM2-135M", max_model_len: 1024 });
    await client.models.list();
    expect(server.seen).toHaveLength(2);
    expect((await client.models.retrieve("tiny")).capabilities?.max_inflight_per_key).toBe(16);
    expect(server.seen).toHaveLength(2);
    await client.models.retrieve("tiny", { refresh: true });
    expect(server.seen).toHaveLength(3);
    expect(server.seen.every(({ method, path }) => method === "GET" && path === "/v1/models")).toBe(true);
  });

  it("the kept list cannot be changed through one that was handed out", async () => {
    const { client } = await setup(listing(tiny));
    (await client.models.list()).pop();
    expect((await client.models.retrieve("tiny")).id).toBe("tiny");
  });

  it("retrieve names the ids there are, and the near one", async () => {
    const { client } = await setup(listing(tiny, card));
    const error = await caught(client.models.retrieve("smolm2"));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({
      issues: [
        { field: "model", given: '"smolm2"', allowed: "one of tiny, smollm2", hint: "did you mean smollm2?" },
      ],
    });
  });

  it("status reads how far a start is", async () => {
    const booting = {
      id: "llama/8b",
      object: "model.status",
      warm: false,
      boot: { stage: "weights_loading", stage_label: "Loading weights", stage_age_s: 12.5 },
      activation_boot: null,
    };
    const { client, server } = await setup((_, response) => json(response, 200, booting));
    expect(await client.models.status("llama/8b")).toEqual(booting);
    expect(server.seen[0]?.path).toBe("/v1/models/llama%2F8b/status");
  });

  it("status says why there is none, and keeps a server's own word for it", async () => {
    const { client } = await setup(({ path }, response) =>
      path.includes("gone")
        ? json(response, 404, { error: { message: "there is no gone", type: "x", code: "model_not_found" } })
        : json(response, path.includes("odd") ? 200 : 404, { detail: "Not Found" }, { "x-request-id": "r1" }),
    );
    const error = await caught(client.models.status("tiny"));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({
      status: 404,
      code: "model_status_not_found",
      requestID: "r1",
      retryable: false,
    });
    expect((error as Error).message).toContain("vLLM has none");
    expect(await caught(client.models.status("gone"))).toMatchObject({ code: "model_not_found" });
    expect(await caught(client.models.status("odd"))).toMatchObject({ code: "unexpected_response" });
  });

  it("a server without a catalogue: list and retrieve say so, describe has none", async () => {
    const { client, server } = await setup((_, response) => json(response, 404, { detail: "Not Found" }));
    expect(await caught(client.models.list())).toMatchObject({ status: 404 });
    expect(await client.describe("x")).toMatchObject({ catalogued: false });
    expect(await caught(client.models.retrieve("x"))).toMatchObject({ status: 404 });
    expect(await caught(client.describe())).toBeInstanceOf(InvalidRequestError);
    expect(server.seen).toHaveLength(1);
  });
});

describe("describe", () => {
  it("says each value and where it is from, and asks the catalogue once", async () => {
    const { server, client } = await setup(listing(tiny));
    expect(await client.describe("tiny")).toEqual({
      id: "tiny",
      catalogued: true,
      hiddenSize: { value: 96, source: "catalogue" },
      observedHiddenSize: { value: undefined, source: "unknown" },
      layers: { value: 5, source: "catalogue" },
      contextLength: { value: 1024, source: "catalogue" },
      vocabSize: { value: 900, source: "catalogue" },
      bosTokenId: { value: 0, source: "catalogue" },
      checkpoint: { value: "residua/tiny", source: "catalogue" },
    });
    expect((await client.describe()).id).toBe("tiny");
    expect(await client.describe("tiny-uncatalogued")).toMatchObject({
      catalogued: false,
      hiddenSize: { value: 16384, source: "default" },
      layers: { value: undefined, source: "unknown" },
    });
    const table = await Promise.all(
      ["llama-8b", "llama-405b", "trinity-truebase", "toString"].map((id) => client.describe(id)),
    );
    expect(
      table.map(({ hiddenSize, layers }) => [hiddenSize.value, layers.value, hiddenSize.source]),
    ).toEqual([
      [4096, 32, "built-in"],
      [16384, 126, "built-in"],
      [3072, 60, "built-in"],
      [16384, undefined, "default"],
    ]);
    expect(server.seen).toHaveLength(1);
    await client.describe("tiny", { refresh: true });
    expect(server.seen).toHaveLength(2);
  });

  it("reads vLLM's cards: the checkpoint is the root, an adapter has its base model's length", async () => {
    const { client } = await setup(listing(card, adapter));
    expect(await client.describe("smollm2-lora")).toMatchObject({
      contextLength: { value: 1024, source: "catalogue" },
      checkpoint: { value: "/adapters/one", source: "catalogue" },
    });
  });

  it("takes odd capabilities as not stated", async () => {
    const odd = { id: "llama-8b", capabilities: { hidden_size: "4096", n_layers: null, max_model_len: -1 } };
    const { client } = await setup(listing(odd));
    expect(await client.describe("llama-8b")).toMatchObject({
      catalogued: true,
      hiddenSize: { value: 4096, source: "built-in" },
      contextLength: { value: undefined, source: "unknown" },
    });
  });

  it("needs a name when the catalogue has several", async () => {
    const two = await setup(listing(tiny, { id: "other" }));
    expect(await caught(two.client.describe())).toMatchObject({
      code: "invalid_request",
      issues: [{ field: "model", allowed: "one of tiny, other" }],
    });
  });

  it("takes what the user states after the catalogue and before the built-in table", async () => {
    const models = {
      tiny: { hiddenSize: 1, bosTokenId: 7 },
      "llama-8b": { hiddenSize: 2048, layers: 8 },
      mine: { layers: 3 },
    };
    const { client } = await setup(listing({ ...tiny, capabilities: { hidden_size: 96 } }), {
      models,
    });
    expect(await client.describe("tiny")).toMatchObject({
      hiddenSize: { value: 96, source: "catalogue" },
      bosTokenId: { value: 7, source: "stated" },
    });
    expect(await client.describe("llama-8b")).toMatchObject({
      hiddenSize: { value: 2048, source: "stated" },
      layers: { value: 8, source: "stated" },
    });
    expect(await client.describe("mine")).toMatchObject({
      hiddenSize: { value: 16384, source: "default" },
      layers: { value: 3, source: "stated" },
    });
  });

  it.each([
    [{ hiddenSize: 0 }, "hiddenSize: 0 given; allowed: a whole number from 1"],
    [{ bosTokenId: -1 }, "bosTokenId: -1 given; allowed: a whole number from 0"],
    [{ checkpoint: 5 }, "checkpoint: 5 given; allowed: a text"],
    [{ hidden_size: 5 }, "hidden_size: 5 given; allowed: one of hiddenSize"],
  ])("refuses to be told %j", async (facts, message) => {
    const stated = setup(listing(), { models: { m: facts as object } });
    expect(await caught(stated)).toBeInstanceOf(ResiduaError);
    expect(((await caught(stated)) as Error).message).toContain(message);
    const { client } = await setup(listing());
    expect(() => client.observe("m", facts as object)).toThrow(message);
  });

  it("observed values fill what is unknown, and never the hidden size that limits count with", async () => {
    const { client } = await setup(listing(tiny));
    client.observe("mine", { hiddenSize: 2048, layers: 12 });
    client.observe("mine", { contextLength: 512, layers: undefined });
    client.observe("tiny", { hiddenSize: 97, layers: 6 });
    expect(await client.describe("mine")).toMatchObject({
      hiddenSize: { value: 16384, source: "default" },
      observedHiddenSize: { value: 2048, source: "observed" },
      layers: { value: 12, source: "observed" },
      contextLength: { value: 512, source: "observed" },
    });
    expect(await client.describe("tiny")).toMatchObject({
      hiddenSize: { value: 96, source: "catalogue" },
      observedHiddenSize: { value: 97, source: "observed" },
      layers: { value: 5, source: "catalogue" },
    });
  });

  it("the checkpoint of an uncatalogued model is what its answers name", async () => {
    const { client } = await setup(({ method }, response) =>
      json(response, 200, method === "GET" ? { data: [] } : answer()),
    );
    await client.completions.create({ model: "llama-9b", prompt: "a" });
    expect((await client.describe("llama-9b")).checkpoint).toEqual({
      value: "meta-llama/Llama-3.1-8B",
      source: "observed",
    });
  });
});
