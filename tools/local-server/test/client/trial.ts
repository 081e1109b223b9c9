import { createClient, InvalidRequestError, ResiduaError } from "@residua/client";

const prompt = ["The city of Rome is in", "The city of Paris is in"];
// What came once comes for ever: a text of 900 tokens does not end early.
const long = { model: "tiny", prompt: "The", max_tokens: 900, repetition_penalty: 0.01, seed: 1 };

/** The same use of the client wherever it runs: in Node, in Deno and on a page. Plain data, to be compared. */
export async function trial(baseURL: string, apiKey: string) {
  const client = createClient({ baseURL, apiKey });
  const request = { model: "tiny", prompt, max_tokens: 4, n: 2, seed: 5, logprobs: 1 };
  const completion = await client.completions.create(request);
  const streamed = ["", "", "", ""];
  for await (const { choices } of await client.completions.create({ ...request, stream: true })) {
    for (const { index, text } of choices) streamed[index] += text;
  }
  let taken = 0;
  for await (const _ of await client.completions.create({ ...long, stream: true })) if (++taken === 3) break;
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  const aborted = client.completions.create(long, { signal: controller.signal });
  const result = {
    texts: completion.choices.map(({ text }) => text),
    logprobs: completion.choices.map(({ logprobs }) => logprobs?.tokens),
    streamed,
    taken,
    aborted: await failure(aborted),
    unknown: await failure(client.completions.create({ ...request, model: "nope" })),
    refused: await failure(client.completions.create({ ...request, temperature: 101 })),
    denied: await failure(
      createClient({ baseURL, apiKey: "wrong" }).completions.create({ ...request, prompt: "a" }),
    ),
    unreachable: await failure(
      createClient({ baseURL: "http://127.0.0.1:9/v1", apiKey, maxRetries: 0 }).models.list(),
    ),
    bytes: new TextDecoder().decode(
      (await client.request({ path: "/models", bytes: true })).body as Uint8Array,
    ),
    models: (await client.models.list()).map(({ id }) => id),
    layers: (await client.describe("tiny")).layers,
  };
  await client.close();
  return result;
}

async function failure(promise: Promise<unknown>): Promise<object> {
  try {
    await promise;
    return { none: true };
  } catch (error) {
    if (error instanceof InvalidRequestError) return { code: error.code, message: error.message };
    if (error instanceof ResiduaError) return { code: error.code, name: error.name };
    return { strange: String(error) };
  }
}
