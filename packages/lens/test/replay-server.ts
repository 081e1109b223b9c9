import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { type Client, createClient, type CompletionRequest } from "@residua/client";
import { float32ToBf16 } from "../src/codec/bfloat16.ts";
import { jsonServer } from "./json-server.ts";

export interface ReplayServer {
  client: Client;
  /** Bodies of the completion requests that came. */
  requests: CompletionRequest[];
  close(): Promise<void>;
}

/** A real HTTP server with a catalogue that answers each completion request with what `reply` returns (text is sent as it is). */
export async function replayServer(
  models: object[],
  reply: (request: CompletionRequest) => unknown,
): Promise<ReplayServer> {
  const requests: CompletionRequest[] = [];
  const server = await jsonServer(({ path, body }) => {
    if (path === "/v1/models") return { body: { object: "list", data: models } };
    requests.push(body as CompletionRequest);
    return { body: reply(body as CompletionRequest) };
  });
  const client = createClient({ baseURL: `${server.url}/v1`, maxRetries: 0 });
  return {
    client,
    requests,
    async close() {
      await client.close();
      await server.close();
    },
  };
}

export const tiny = {
  id: "tiny",
  object: "model",
  served_model_name: "residua/tiny",
  capabilities: { max_model_len: 1024, n_layers: 5, hidden_size: 8, vocab_size: 900, bos_token_id: 0 },
};

export const smollm2 = { id: "smollm2", capabilities: { n_layers: 30, hidden_size: 576, vocab_size: 49152 } };

/** The planted value of layer L, position p, number i: an integer that bfloat16 holds, another for each place. */
export function planted(layer: number, position: number, i: number): number {
  const place = (layer * 8 + position) * 8 + i;
  return place < 256 ? place : 255 - place;
}

/** What to do wrong; a right answer without any. */
export interface Faults {
  layers?: number[];
  rows?: number;
  hiddenSize?: number;
  change?: (values: Float32Array) => void;
  dropPromptLogprobs?: boolean;
  promptIds?: (number | null)[];
}

/** A right answer to a capture: words are tokens with ids from 100, BOS 0 before a text unless it is switched off. */
export function rightAnswer(request: CompletionRequest, faults: Faults = {}): Record<string, unknown> {
  const { prompt, output_residual_stream: asked } = request;
  const max_tokens = request.max_tokens ?? 16;
  const add_special_tokens = request.add_special_tokens ?? true;
  const words = typeof prompt === "string" ? (prompt.match(/ ?[^ ]+/g) ?? []) : [];
  const special = add_special_tokens ? [0] : [];
  const ids =
    typeof prompt === "string" ? [...special, ...words.map((_, i) => 100 + i)] : (prompt as number[]);
  const texts =
    typeof prompt === "string" ? [...(add_special_tokens ? [""] : []), ...words] : ids.map((id) => `t${id}`);
  const generated = Array.from({ length: max_tokens }, (_, i) => ` g${i}`);
  const layers =
    faults.layers ?? (asked === true ? [0, 1, 2, 3, 4] : [...(asked || [])].sort((a, b) => a - b));
  const rows = faults.rows ?? ids.length + max_tokens - 1;
  const hiddenSize = faults.hiddenSize ?? 8;
  const values = new Float32Array(layers.length * rows * hiddenSize);
  layers.forEach((layer, l) => {
    for (let p = 0; p < rows; p++) {
      for (let i = 0; i < hiddenSize; i++) values[(l * rows + p) * hiddenSize + i] = planted(layer, p, i);
    }
  });
  faults.change?.(values);
  const told = faults.promptIds ?? ids;
  return {
    id: "cmpl-1",
    object: "text_completion",
    created: 1,
    model: "residua/tiny",
    choices: [
      {
        index: 0,
        text: generated.join(""),
        finish_reason: "length",
        logprobs: {
          tokens: generated,
          token_logprobs: generated.map(() => -1),
          top_logprobs: generated.map((token) => ({ [token]: -1 })),
          text_offset: generated.map((_, i) => 3 * i),
        },
        ...(!faults.dropPromptLogprobs && {
          prompt_logprobs: told.map((id, i) =>
            i === 0 || id === null
              ? null
              : { [String(id)]: { logprob: -1, rank: 1, decoded_token: texts[i] } },
          ),
        }),
      },
    ],
    usage: {
      prompt_tokens: ids.length,
      completion_tokens: max_tokens,
      total_tokens: ids.length + max_tokens,
    },
    ...(layers.length > 0 && {
      activations: {
        residual_stream: {
          data: Buffer.from(float32ToBf16(values).buffer).toString("base64"),
          dtype: "int16",
          original_dtype: "torch.bfloat16",
          shape: [layers.length, rows, hiddenSize],
        },
      },
    }),
  };
}

/** A recorded exchange of fixtures/exchanges. */
export function exchange(name: string): {
  response_body: string;
  status: number;
  request: { prompt: string; max_tokens: number };
} {
  const path = new URL(`../fixtures/exchanges/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, "utf8")) as ReturnType<typeof exchange>;
}
