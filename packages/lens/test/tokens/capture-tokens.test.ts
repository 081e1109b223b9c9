import { createClient, type CompletionRequest, type Tokenizer } from "@residua/client";
import { afterEach, describe, expect, it } from "vitest";
import { createLens } from "../../src/create-lens.ts";
import { jsonServer, type JsonServer } from "../json-server.ts";
import { type Faults, rightAnswer, tiny } from "../replay-server.ts";
import { codeOf, vllmAt } from "../recorded/vllm-replay.ts";

const request = { model: "tiny", prompt: "The sky is blue", layers: [1] };
const open: JsonServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** A hosted server that tells what `faults` leave, and a client with a tokenizer. */
async function hosted(ids: number[] | (() => never), faults: Faults = {}, models: object[] = [tiny]) {
  const server = await jsonServer(({ path, body }) => ({
    body:
      path === "/v1/models"
        ? { object: "list", data: models }
        : rightAnswer(body as CompletionRequest, faults),
  }));
  open.push(server);
  const tokenizer: Tokenizer = {
    encode: (text) => (typeof ids === "function" ? ids() : text === request.prompt ? ids : []),
  };
  return createLens(createClient({ baseURL: `${server.url}/v1`, tokenizer, maxRetries: 0 }));
}

const right = [0, 100, 101, 102, 103];

describe("C22: ids of a prompt that the server does not tell", () => {
  it("are a tokenizer's, where it makes as many as the server counts", async () => {
    const lens = await hosted(right, { dropPromptLogprobs: true });
    const { tokens, checks } = await lens.capture(request);
    expect(tokens.slice(0, 5).map(({ id }) => id)).toEqual(right);
    expect(checks).toContainEqual({
      code: "token_ids",
      status: "pass",
      detail: "5 of 5 prompt token ids learnt, with a tokenizer's help",
    });
  });

  it("are refused where it makes another number, or other tokens than the server ran", async () => {
    const short = await hosted([100, 101, 102, 103], { dropPromptLogprobs: true });
    await expect(short.capture(request)).rejects.toMatchObject({
      code: "token_count",
      data: { tokenizer: 4, counted: 5 },
    });
    // Position 0 is not told, and the model's BOS is not known: the tokenizer is asked.
    const other = await hosted([0, 100, 7, 102, 103], {}, [{ id: "tiny" }]);
    await expect(other.capture(request)).rejects.toMatchObject({
      code: "token_ids",
      data: { position: 2, sent: 7, ran: [101] },
    });
  });

  it("the first is a tokenizer's where the others agree", async () => {
    const lens = await hosted(right, {}, [{ id: "tiny" }]);
    const { tokens } = await lens.capture(request);
    expect(tokens[0]).toEqual({ id: 0, text: null, role: "prompt" });
  });

  it("stay unknown, and unverified, where it fails", async () => {
    const lens = await hosted(
      () => {
        throw new Error("no");
      },
      { dropPromptLogprobs: true },
    );
    const { tokens, checks } = await lens.capture(request);
    expect(tokens[1]?.id).toBeNull();
    expect(checks.find(({ code }) => code === "token_ids")?.status).toBe("unverified");
  });
});

describe("C22: a vLLM server, whose BOS its tokenizer shows", () => {
  const at = (ids: number[], adds: boolean) =>
    vllmAt(({ path, body }) => {
      if (path === "/v1/completions") {
        const answer = rightAnswer({
          model: "smollm2",
          prompt: ids,
          max_tokens: 1,
          output_residual_stream: [1],
        });
        const [choice] = answer["choices"] as object[];
        return {
          body: {
            ...answer,
            choices: [{ ...choice, prompt_logprobs: null, prompt_token_ids: ids, token_ids: [7] }],
          },
        };
      }
      const { prompt } = Object(body) as { prompt?: string };
      const list = [...(adds ? [1] : []), ...(prompt === "" ? [] : [9])];
      return path === "/tokenize" ? { body: { count: list.length, tokens: list } } : undefined;
    });

  it("is refused where it stands twice", async () => {
    const { lens } = await at([1, 1, 5], true);
    expect(await codeOf(lens.capture({ prompt: "<s>x", layers: [1] }))).toBe("double_bos");
    expect(await codeOf(lens.capture({ prompt: [1, 1, 5], layers: [1] }))).toBe("double_bos");
  });

  it("passes where it stands once, and where there is none", async () => {
    const once = await (await at([1, 5, 5], true)).lens.capture({ prompt: "x", layers: [1] });
    expect(once.checks).toContainEqual({ code: "double_bos", status: "pass", detail: "BOS is token 1" });
    const none = await (await at([5, 5, 6], false)).lens.capture({ prompt: "x", layers: [1] });
    expect(none.checks).toContainEqual({
      code: "double_bos",
      status: "pass",
      detail: "the tokenizer puts no BOS before a text",
    });
  });
});
