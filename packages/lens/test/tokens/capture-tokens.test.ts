import { createClient, type CompletionRequest, type Tokenizer } from "@residua/client";
import { afterEach, describe, expect, it } from "vitest";
import { createLens } from "../../src/create-lens.ts";
import { lensAt } from "../lens-at.ts";
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
  it("are a tokenizer's, where it makes as many as the server counts: unverified, for nothing says that it ran these", async () => {
    const lens = await hosted(right, { dropPromptLogprobs: true });
    const { tokens, checks } = await lens.capture(request);
    expect(tokens.slice(0, 5).map(({ id }) => id)).toEqual(right);
    expect(checks).toContainEqual({
      code: "token_ids",
      status: "unverified",
      detail:
        "5 of 5 prompt token ids learnt, with a tokenizer's help; the server does not tell which it ran",
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
      const begin = adds ? [1] : [];
      const list = prompt === "" ? begin : prompt === "a" ? [...begin, 9] : ids;
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

describe("C22: a server that runs another text than was sent", () => {
  const words = ["<s>", "The", " sky", " is", " blue", "You", " are", " helpful", ". "];
  const tokenize = (text: string) => [
    0,
    ...[...text.matchAll(/ ?[^ ]+/g)].map(([word]) => words.indexOf(word)),
  ];
  /** A vLLM server that names these ids as those that it ran. */
  const running = (ran: (ids: number[]) => number[]) =>
    vllmAt(({ path, body }) => {
      const { prompt: text } = Object(body) as { prompt: string };
      if (path === "/tokenize") return { body: { count: 0, tokens: tokenize(text) } };
      if (path !== "/v1/completions") return undefined;
      const ids = ran(tokenize(text));
      const answer = rightAnswer({ model: "m", prompt: ids, max_tokens: 1, output_residual_stream: [1] });
      const [choice] = answer["choices"] as object[];
      const told = { ...choice, prompt_logprobs: null, prompt_token_ids: ids, token_ids: [3] };
      return { body: { ...answer, choices: [told] } };
    });
  const capture = async (ran: (ids: number[]) => number[]) =>
    (await running(ran)).lens.capture({ prompt: request.prompt, layers: [1] });

  it("is refused by the ids that a tokenizer makes: more, fewer, others, in another order", async () => {
    for (const ran of [
      ([bos = 0, ...ids]: number[]) => [bos, 5, 6, 7, 8, ...ids],
      (ids: number[]) => [...ids, 5],
      (ids: number[]) => ids.slice(0, -1),
      (ids: number[]) => [...ids].reverse(),
      (ids: number[]) => ids.map((id) => (id === 4 ? 5 : id)),
    ])
      expect(await codeOf(capture(ran))).toBe("token_ids");
    const { checks } = await capture((ids) => ids);
    expect(checks.find(({ code }) => code === "token_ids")).toMatchObject({ status: "pass" });
  });

  it("passes in no case where there is nothing to compare with", async () => {
    const { lens } = await vllmAt(({ path }) => {
      const ids = [5, 6, 7];
      const answer = rightAnswer({ model: "m", prompt: ids, max_tokens: 1, output_residual_stream: [1] });
      const [choice] = answer["choices"] as object[];
      const told = { ...choice, prompt_logprobs: null, prompt_token_ids: ids, token_ids: [3] };
      return path === "/v1/completions" ? { body: { ...answer, choices: [told] } } : undefined;
    });
    const { checks } = await lens.capture({ prompt: request.prompt, layers: [1] });
    expect(checks.find(({ code }) => code === "token_ids")).toMatchObject({ status: "unverified" });
  });

  it("is refused by the texts of its tokens where no tokenizer is known", async () => {
    const { lens } = await lensAt((sent) =>
      rightAnswer({ ...sent, prompt: `You are helpful. ${sent.prompt as string}` }),
    );
    await expect(lens.capture(request)).rejects.toMatchObject({
      code: "token_ids",
      message: expect.stringContaining('its tokens read "You are helpful. The sky is blue"') as string,
    });
  });

  it("a tokenizer that leaves out the BOS is no other text", async () => {
    const lens = await hosted(right.slice(1));
    const { checks } = await lens.capture(request);
    expect(checks.find(({ code }) => code === "token_ids")).toMatchObject({ status: "pass" });
  });
});
