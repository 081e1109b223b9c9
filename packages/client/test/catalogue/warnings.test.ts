import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { ClientWarning } from "../../src/index.ts";
import { watchAnswers } from "../../src/catalogue/watch-answers.ts";
import { setup } from "../client-support.ts";
import { answer, json, type Script } from "../fault-server.ts";

/** Answers with these fields in turn, as JSON or as a stream whose last chunk has the fingerprint. */
const turns =
  (...fields: { system_fingerprint?: string | null; model?: string }[]): Script =>
  ({ body }, response, nth) => {
    const { system_fingerprint, ...rest } = fields[nth]!;
    const id = { "x-request-id": `req_${nth}` };
    if (!body.includes('"stream":true')) {
      json(response, 200, { ...answer(), ...fields[nth] }, id);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", ...id });
    const events = [
      { ...answer(0), ...rest, choices: [{ index: 0, text: " a" }] },
      { ...answer(0), ...rest, choices: [], system_fingerprint },
    ];
    response.end(
      [...events.map((event) => JSON.stringify(event)), "[DONE]"].map((data) => `data: ${data}\n\n`).join(""),
    );
  };

const request = { model: "llama-8b", prompt: "a" };

async function warned(script: Script) {
  const warnings: ClientWarning[] = [];
  const made = await setup(script, { onWarning: (warning) => warnings.push(warning) });
  const create = () => made.client.completions.create(request);
  const stream = async () => {
    for await (const _ of await made.client.completions.create({ ...request, stream: true }));
  };
  return { ...made, warnings, create, stream };
}

describe("a warning", () => {
  it("comes when the fingerprint is another, once for each", async () => {
    const { warnings, create } = await warned(
      turns(
        { system_fingerprint: "a" },
        {},
        { system_fingerprint: null },
        { system_fingerprint: "a" },
        { system_fingerprint: "b" },
        { system_fingerprint: "a" },
        { system_fingerprint: "b" },
        { system_fingerprint: "c" },
      ),
    );
    for (let i = 0; i < 8; i++) await create();
    expect(warnings).toEqual([
      {
        code: "fingerprint_changed",
        message:
          "the server's fingerprint for answers of llama-8b changed from a to b: answers from before and after may differ",
        model: "llama-8b",
        before: "a",
        after: "b",
        requestID: "req_4",
      },
      expect.objectContaining({ before: "b", after: "c", requestID: "req_7" }),
    ]);
  });

  it("comes from streams too, whose fingerprint is on the last chunk", async () => {
    const { warnings, create, stream } = await warned(
      turns(
        { system_fingerprint: "a" },
        { system_fingerprint: "b" },
        { system_fingerprint: "b" },
        { system_fingerprint: "a", model: "other/weights" },
      ),
    );
    await create();
    await stream();
    await create();
    await stream();
    expect(warnings.map(({ code, before, after, requestID }) => [code, before, after, requestID])).toEqual([
      ["fingerprint_changed", "a", "b", "req_1"],
      ["checkpoint_changed", "meta-llama/Llama-3.1-8B", "other/weights", "req_3"],
    ]);
  });

  it("comes when the catalogue names another checkpoint; its names are not compared with those of answers", async () => {
    const roots = ["org/one", "org/one", "org/two"];
    const warnings: ClientWarning[] = [];
    const { client } = await setup(
      ({ method }, response, nth) =>
        json(
          response,
          200,
          method === "GET" ? { data: [{ id: "m", root: roots[nth - 1] }] } : { ...answer(), model: "m" },
        ),
      { onWarning: (warning) => warnings.push(warning) },
    );
    await client.completions.create({ model: "m", prompt: "a" });
    for (let i = 0; i < 3; i++) await client.models.list();
    expect(warnings).toMatchObject([
      { code: "checkpoint_changed", model: "m", before: "org/one", after: "org/two" },
    ]);
  });

  it("costs no answer when what takes it throws, and shows no key", async () => {
    const onWarning = (warning: ClientWarning) => {
      throw new Error(`no room for ${warning.after}`);
    };
    const server = turns({ system_fingerprint: "a" }, { system_fingerprint: "secret-key-1" });
    const { client } = await setup(server, { apiKey: "secret-key-1", onWarning });
    const warned = once(process, "warning");
    await client.completions.create(request);
    expect((await client.completions.create(request)).choices).toHaveLength(1);
    const [warning] = (await warned) as [Error & { code?: string }];
    expect(warning.code).toBe("on_warning_failed");
    expect(warning.message).toContain("no room for ***");
    expect(warning.message).not.toContain("secret-key-1");
  });

  it("is a process warning when nobody takes it", async () => {
    const { client } = await setup(turns({ system_fingerprint: "a" }, { system_fingerprint: "b" }));
    const warned = once(process, "warning");
    await client.completions.create(request);
    await client.completions.create(request);
    const [warning] = (await warned) as [Error & { code?: string }];
    expect(warning).toMatchObject({ name: "ResiduaWarning", code: "fingerprint_changed" });
    expect(warning.message).toContain("changed from a to b");
  });
});

it("models are watched apart, and no end of fingerprints is remembered without end", () => {
  const warnings: ClientWarning[] = [];
  const watch = watchAnswers((warning) => warnings.push(warning));
  for (const model of ["m", "n"]) watch({ model, fingerprint: model, checkpoint: model, from: "completion" });
  expect(warnings).toEqual([]);
  for (let i = 0; i < 3000; i++) watch({ model: "m", fingerprint: `f${i}`, from: "completion" });
  expect(warnings).toHaveLength(999);
});
