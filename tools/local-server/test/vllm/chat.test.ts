import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { start, type Running } from "../support.ts";
import { chattingModel, events, post } from "./vllm-support.ts";

const messages = [{ role: "user", content: "The city of Rome is" }];

interface Chat {
  id: string;
  choices: {
    index: number;
    message: { content: string };
    delta: { role?: string; content: string };
    logprobs: {
      content: { token: string; logprob: number; bytes: number[]; top_logprobs: object[] }[];
    } | null;
    token_ids: number[];
    finish_reason: string | null;
  }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  prompt_token_ids: number[];
  prompt_logprobs: (object | null)[] | null;
}

let running: Running;
beforeAll(async () => {
  running = await start({ model: await chattingModel(), profile: "vllm" });
});
afterAll(() => running.close());

const chat = async (body: object) => {
  const path = "/v1/chat/completions";
  const answer = await post<Chat>(running.server.url, path, {
    messages,
    temperature: 0,
    max_tokens: 4,
    ...body,
  });
  return answer;
};
const told = async (body: object) =>
  running.model.tokenizer.decode((await chat({ return_token_ids: true, ...body })).body.prompt_token_ids);
const refused = async (body: object) => {
  const { status, body: answer } = await chat(body);
  expect(status).toBe(400);
  return answer.error!.message;
};

describe("the prompt", () => {
  test("is what the template makes of the conversation", async () => {
    expect(await told({})).toBe("user: The city of Rome is</s>\nassistant: ");
    expect(await told({ add_generation_prompt: false })).toBe("user: The city of Rome is</s>\n");
    const parts = [
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ];
    expect(await told({ messages: parts, add_generation_prompt: false })).toBe("user: a\nb</s>\n");
  });

  test("ends in the last message when that is to be continued", async () => {
    const reply = { role: "assistant", content: "It is in " };
    const goOn = {
      messages: [...messages, reply],
      add_generation_prompt: false,
      continue_final_message: true,
    };
    expect(await told(goOn)).toBe("user: The city of Rome is</s>\nassistant: It is in ");
    expect(await refused({ continue_final_message: true })).toBe(
      "Cannot set both `continue_final_message` and `add_generation_prompt` to True.",
    );
  });

  test("is the one that /tokenize shows", async () => {
    const { body } = await post<{ tokens: number[]; count: number; token_strs: string[] }>(
      running.server.url,
      "/tokenize",
      {
        messages,
        return_token_strs: true,
      },
    );
    const { prompt_token_ids, usage } = (await chat({ return_token_ids: true })).body;
    expect(body.tokens).toEqual(prompt_token_ids);
    expect(body.count).toBe(usage.prompt_tokens);
    expect(body.token_strs).toEqual(running.model.tokenizer.spell(body.tokens));
    const text = await post<{ prompt: string }>(running.server.url, "/detokenize", { tokens: body.tokens });
    expect(text.body.prompt).toBe(running.model.tokenizer.decode(body.tokens));
  });

  test.each([
    [{ messages: [] }, /^Cannot apply chat template to an empty conversation/],
    [
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: {} }] }] },
      /^messages\[0\]\.content: a part of type "image_url"/,
    ],
    [{ tools: [{}] }, /^tools: is not supported/],
    [{ chat_template: "x" }, /^chat_template: is not supported/],
    [{ echo: true }, /^echo: is not supported/],
    [{ top_logprobs: 2 }, /^when using `top_logprobs`, `logprobs` must be set to true/],
    [{ logprobs: true, top_logprobs: 21 }, /greater than max allowed: 20/],
  ])("refused: %j", async (body, message) => {
    expect(await refused(body)).toMatch(message);
  });
});

test("without a limit a reply may fill the context, up to an end", async () => {
  const { body } = await chat({ max_tokens: null, stop: ["."] });
  expect(body.choices[0]!.finish_reason).toBe("stop");
  expect(
    (await chat({ max_completion_tokens: 2, max_tokens: 4, ignore_eos: true })).body.usage.completion_tokens,
  ).toBe(2);
});

test("log probabilities have the text and bytes of each token, and of the likeliest as many as asked", async () => {
  const { body } = await chat({
    logprobs: true,
    top_logprobs: 3,
    prompt_logprobs: 1,
    return_token_ids: true,
  });
  const { logprobs, token_ids } = body.choices[0]!;
  expect(logprobs!.content.length).toBe(token_ids.length);
  for (const { token, logprob, bytes, top_logprobs } of logprobs!.content) {
    expect(bytes).toEqual([...Buffer.from(token)]);
    expect(top_logprobs.length).toBe(3);
    expect(top_logprobs[0]).toEqual({ token, logprob, bytes });
  }
  expect(body.prompt_logprobs!.length).toBe(body.prompt_token_ids.length);
  expect(body.prompt_logprobs![0]).toBeNull();
});

test("a stream begins each choice with its role and says what the whole answer says", async () => {
  const body = {
    messages,
    temperature: 1,
    seed: 5,
    n: 2,
    max_tokens: 5,
    logprobs: true,
    return_token_ids: true,
  };
  const whole = (await chat(body)).body;
  const streamed = await events<Chat>(running.server.url, "/v1/chat/completions", {
    ...body,
    stream_options: { include_usage: true },
  });
  expect(streamed.slice(0, 2).map(({ choices }) => choices[0]!.delta)).toEqual(
    Array(2).fill({ role: "assistant", content: "" }),
  );
  expect(streamed[0]!.prompt_token_ids).toEqual(whole.prompt_token_ids);
  const { usage } = streamed.at(-1)!;
  expect(usage.total_tokens).toBe(whole.usage.total_tokens);
  for (const { index, message, logprobs, token_ids, finish_reason } of whole.choices) {
    const parts = streamed
      .flatMap(({ choices }) => choices)
      .filter((choice) => choice.index === index)
      .slice(1);
    expect(parts.map(({ delta }) => delta.content).join("")).toBe(message.content);
    expect(parts.flatMap((part) => part.token_ids)).toEqual(token_ids);
    expect(parts.flatMap((part) => part.logprobs!.content)).toEqual(logprobs!.content);
    expect(parts.at(-1)!.finish_reason).toBe(finish_reason);
  }
});

test("/openapi.json lists the routes by which clients know the plugin", async () => {
  const document = (await (await fetch(new URL("/openapi.json", running.server.url))).json()) as {
    paths: Record<string, Record<string, object>>;
  };
  expect(document.paths).toMatchObject({
    "/v1/hooks/register": { post: {} },
    "/v1/activations/{handle}": { get: {} },
  });
  // Each of them is there: asked for in a way that it does not take, it does not answer 404.
  for (const path of Object.keys(document.paths)) {
    const response = await fetch(new URL(path, running.server.url), { method: "PUT" });
    expect([path, response.status]).toEqual([path, 405]);
  }
});
