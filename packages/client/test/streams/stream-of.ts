import {
  createClient,
  type ClientOptions,
  type CompletionStream,
  type RequestOptions,
} from "../../src/index.ts";

const encoder = new TextEncoder();

interface Served {
  /** The body's pieces, in order. */
  pieces: readonly (string | Uint8Array)[];
  /** Ends the body with this fault instead of its end. */
  fault?: Error;
  prompts?: number;
  n?: number;
  client?: ClientOptions;
  options?: RequestOptions;
}

/** The stream that a client makes of these bytes, without a socket. */
export async function streamOf(served: Served): Promise<CompletionStream> {
  const { pieces, fault, prompts = 1, n = 1, client = {}, options = {} } = served;
  let next = 0;
  const body = () =>
    new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const piece = pieces[next++];
          if (piece !== undefined)
            controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
          else if (fault !== undefined) controller.error(fault);
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
  const headers = { "content-type": "text/event-stream; charset=utf-8", "x-request-id": "req_1" };
  const answer = () => Promise.resolve(new Response(body(), { headers }));
  const { completions } = createClient({ baseURL: "http://127.0.0.1:1/v1", fetch: answer, ...client });
  const prompt = Array.from({ length: prompts }, (_, p) => `prompt ${p}`);
  const request = { model: "llama-8b", prompt, n, max_tokens: 8 };
  return completions.create({ ...request, stream: true }, options);
}

export const event = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;

/** An event with the next text of one choice. */
export const textEvent = (text: string, fields: object = {}, index = 0): string =>
  event({ ...head, choices: [{ index, text, logprobs: null, finish_reason: null, ...fields }] });

export const head = {
  id: "cmpl-1",
  object: "text_completion",
  created: 1791780733,
  model: "meta-llama/Llama-3.1-8B",
};
export const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };
export const usageEvent = event({ ...head, choices: [], usage });
export const done = "data: [DONE]\n\n";

export async function readAll<T>(chunks: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}
