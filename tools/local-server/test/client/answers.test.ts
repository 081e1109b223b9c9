import { createClient, readLogprobs, readPromptLogprobs } from "@residua/client";
import { describe, expect, test } from "vitest";
import { serve } from "../support.ts";

const profiles = ["acs", "vllm", "octoai"] as const;
/** Characters of several bytes, astral ones and combining marks: some have several tokens. */
const prompt = "Rome 👋🏽 is cafe\u0301 ☕ naïve";
const request = { model: "tiny", prompt, max_tokens: 6, seed: 11, logprobs: 2 };

describe.each(profiles)("log probabilities at profile %s", (profile) => {
  const running = serve({ profile });
  const open = () => createClient({ baseURL: running.server.url, apiKey: "", profile });

  test.each([
    ["alone", {}],
    ["after the prompt", { echo: true }],
    ["cut by a stop text", { stop: ["e", "i"], max_tokens: 30 }],
  ])("every token has its place in the text: %s", async (_, fields) => {
    const client = open();
    const completion = await client.completions.create({ ...request, ...fields });
    await client.close();
    const { text, logprobs } = completion.choices[0]!;
    const read = readLogprobs(completion.choices[0]!)!;
    expect(read.length).toBe((logprobs?.tokens ?? logprobs?.content)?.length);
    for (const { token, offset } of read) {
      const { utf16, codePoints } = offset!;
      expect(codePoints).toBe([...text.slice(0, utf16)].length);
      const rest = text.slice(utf16);
      // Half a character is U+FFFD, the BOS is not shown, and what a stop text cut off is shown in part or not at all.
      const whole = !token.includes("\uFFFD") && !token.startsWith("<");
      if (whole) expect(rest.startsWith(token) || token.startsWith(rest)).toBe(true);
    }
    const places = read.map(({ offset }) => offset!.utf16);
    expect(places).toEqual([...places].sort((one, other) => one - other));
    // Those that share a place are parts of one character.
    expect(new Set(places).size).toBeGreaterThan(places.length / 2);
  });

  test("a stream that is collected reads as the whole answer does", async () => {
    const one = open();
    const whole = await one.completions.create({ ...request, n: 2, echo: true });
    const collected = await (
      await one.completions.create({ ...request, n: 2, echo: true, stream: true })
    ).finalCompletion();
    const plain = (completion: typeof whole) =>
      completion.choices.map((choice) => readLogprobs({ ...choice, prompt_token_ids: null }));
    expect(plain(collected)).toEqual(plain(whole));
    await one.close();
  });
});

describe("the three profiles", () => {
  const servers = {
    acs: serve({ profile: "acs" }),
    vllm: serve({ profile: "vllm" }),
    octoai: serve({ profile: "octoai" }),
  };

  test("read alike: the same tokens, log probabilities and places", async () => {
    const readings = [];
    for (const profile of profiles) {
      const client = createClient({ baseURL: servers[profile].server.url, apiKey: "", profile });
      const { choices } = await client.completions.create({ ...request, prompt: "The city of Rome is in" });
      readings.push(
        readLogprobs(choices[0]!)!.map(({ token, logprob, offset, top }) => ({
          token,
          logprob,
          offset,
          top: top.slice(0, 2).map((one) => [one.token, one.logprob]),
        })),
      );
      await client.close();
    }
    expect(readings[0]!.length).toBe(6);
    expect(readings[1]).toEqual(readings[0]);
    expect(readings[2]).toEqual(readings[0]);
  });

  test("the prompt's tokens are found among the likeliest, or said to be unknown", async () => {
    for (const profile of ["acs", "vllm"] as const) {
      const { server, model } = servers[profile];
      const client = createClient({ baseURL: server.url, apiKey: "", profile });
      const first = await client.completions.create({
        model: "tiny",
        prompt,
        max_tokens: 1,
        prompt_logprobs: 0,
      });
      const ids = readPromptLogprobs(first.choices[0]!)!.map(({ id }) => id);
      expect(ids[0]).toBeUndefined();
      const whole = [model.config.bosTokenId!, ...ids.slice(1).map((id) => id!)];
      const sent = await client.completions.create({
        model: "tiny",
        prompt: whole,
        max_tokens: 1,
        prompt_logprobs: 3,
        echo: true,
        logprobs: 1,
      });
      const known = readPromptLogprobs(sent.choices[0]!, { promptTokenIds: whole })!;
      expect(known.map(({ id }) => id)).toEqual(whole);
      const asked = readPromptLogprobs(
        { ...sent.choices[0]!, logprobs: null, prompt_token_ids: null },
        { asked: 3 },
      )!;
      for (const { position, id, rank } of asked) {
        if (id === undefined) expect(known[position]!.rank ?? 0).toBeLessThanOrEqual(3);
        else expect([id, rank]).toEqual([whole[position], known[position]!.rank]);
      }
      expect(asked.filter(({ id }) => id !== undefined).length).toBeGreaterThan(3);
      // An echo tells every one of them.
      const echoed = readPromptLogprobs({ ...sent.choices[0]!, prompt_token_ids: null })!;
      for (const { position, id } of echoed) if (id !== undefined) expect(id).toBe(whole[position]);
      expect(echoed.filter(({ id }) => id !== undefined).length).toBeGreaterThanOrEqual(whole.length - 3);
      await client.close();
    }
  });
});
