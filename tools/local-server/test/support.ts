import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decompress } from "@bokuweb/zstd-wasm";
import { loadModel, type Model } from "@residua/engine";
import { afterAll, beforeAll, expect } from "vitest";
import { startServer, type LocalServer, type ServerOptions } from "../src/index.ts";
import { zstdContentSize } from "@residua/engine/api";

export const tinyModel = fileURLToPath(new URL("../../tiny-model/model", import.meta.url));

/** What the tiny model's folder says of itself. */
export const tinyConfig = JSON.parse(readFileSync(join(tinyModel, "config.json"), "utf8")) as {
  num_hidden_layers: number;
  hidden_size: number;
  vocab_size: number;
  max_position_embeddings: number;
};

export interface Running {
  readonly server: LocalServer;
  readonly model: Model;
  readonly logged: string[];
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  complete(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The parts of an answer's JSON that the tests read. */
interface Body {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: Choice[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  activations?: { residual_stream: Tensor };
  error: { message: string; type: string; code: string };
  request_id: string;
  data: { id: string; capabilities: Record<string, unknown> }[];
  status: string;
}

export interface Choice {
  index: number;
  text: string;
  finish_reason: string | null;
  stop_reason: string | null;
  logprobs: {
    text_offset: number[];
    tokens: string[];
    token_logprobs: (number | null)[];
    top_logprobs: (Record<string, number> | null)[];
  } | null;
  prompt_logprobs?: (Record<string, { logprob: number; rank: number; decoded_token: string }> | null)[];
}

export interface Tensor {
  data: string;
  dtype: string;
  original_dtype?: string;
  shape: number[];
  compression?: string;
}

/** The real server on a free port, with the tiny model loaded once and shared with the test. */
export async function start(options: Partial<ServerOptions> & { model?: Model } = {}): Promise<Running> {
  const model = options.model ?? (await loadModel(tinyModel));
  const logged: string[] = [];
  const server = await startServer({ log: (line) => logged.push(line), ...options, model });
  const answer = async (response: Response): Promise<Answer> => ({
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Body,
  });
  return {
    server,
    model,
    logged,
    get: async (path, headers = {}) => answer(await fetch(new URL(path, server.url), { headers })),
    complete: async (body, headers = {}) =>
      answer(
        await fetch(`${server.url}/completions`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: typeof body === "string" ? body : JSON.stringify({ model: "tiny", ...(body as object) }),
        }),
      ),
    close: async () => {
      await server.close();
      await model.dispose();
    },
  };
}

/** A server for all tests of a file or `describe`: up before them, closed after them, with nothing in its log. */
export function serve(options?: Parameters<typeof start>[0]): Running {
  let running: Running | undefined;
  beforeAll(async () => {
    running = await start(options);
  });
  afterAll(async () => {
    await running?.close();
    expect(running?.logged).toEqual([]);
  });
  return {
    get server() {
      return running!.server;
    },
    get model() {
      return running!.model;
    },
    get logged() {
      return running!.logged;
    },
    get: (path, headers) => running!.get(path, headers),
    complete: (body, headers) => running!.complete(body, headers),
    close: () => running!.close(),
  };
}

/** A tensor object as a client may send it: raw little-endian float32. */
export function rawTensor(values: ArrayLike<number>, shape: number[]): Tensor {
  const bytes = new Uint8Array(Float32Array.from(values).buffer);
  return { data: Buffer.from(bytes).toString("base64"), dtype: "float32", shape };
}

/** A repeatable vector of about normal numbers. */
export function someVector(length: number, seed: number): number[] {
  return Array.from({ length }, (_, i) => 2 * Math.sin(seed * 12.9898 + i * 78.233 + (i % 7) * seed));
}

/** Refused with 400 in the documented envelope; returns the message. */
export async function refused(running: Running, body: unknown, code = "invalid_request"): Promise<string> {
  const answer = await running.complete(body, { "x-request-id": "mine-1" });
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual({
    error: { message: expect.any(String) as string, type: "invalid_request_error", code },
    request_id: "mine-1",
  });
  expect(answer.headers.get("x-request-id")).toBe("mine-1");
  return answer.body.error.message;
}

export async function accepted(running: Running, body: object): Promise<void> {
  const { status, body: answer } = await running.complete(body);
  expect(answer.error).toBeUndefined();
  expect(status).toBe(200);
}

export const ids = (length: number) => Array<number>(length).fill(7);
/** A small steering vector object of a shape. */
export const vector = (shape: number[], extra: object = {}) => ({
  activations: rawTensor(Array<number>(shape.reduce((a, b) => a * b)).fill(0.01), shape),
  layer_indices: Array.from({ length: shape[0]! }, (_, layer) => layer),
  ...extra,
});

/** The bfloat16 bits of a wire tensor; also checks its form. */
export function bitsOf(tensor: Tensor): Uint16Array {
  expect(tensor).toMatchObject({ dtype: "int16", original_dtype: "torch.bfloat16", compression: "zstd" });
  const frame = Buffer.from(tensor.data, "base64");
  const expected = 2 * tensor.shape.reduce((product, size) => product * size, 1);
  expect(zstdContentSize(frame)).toBe(expected);
  const bytes = decompress(frame);
  expect(bytes.length).toBe(expected);
  return new Uint16Array(bytes.buffer);
}

export function floatsOf(tensor: Tensor): Float32Array {
  const words = Uint32Array.from(bitsOf(tensor), (bits) => bits << 16);
  return new Float32Array(words.buffer);
}
