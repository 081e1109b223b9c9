import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";

/** A request that a real server took and what it answered: fixtures/vllm-exchanges.jsonl. */
export interface Exchange {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** JSON, or the text that was sent; null where there was none. */
  readonly body: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: string | null;
}

interface Line extends Exchange {
  /** How often the prompt is said. */
  readonly times?: number;
}

function read(file: string): Exchange[] {
  const text = readFileSync(new URL(`../../fixtures/${file}`, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const { times, ...exchange } = JSON.parse(line) as Line;
      if (times === undefined) return exchange;
      const body = exchange.body as { prompt: string };
      return { ...exchange, body: { ...body, prompt: body.prompt.repeat(times) } };
    });
}

export const exchanges: readonly Exchange[] = read("vllm-exchanges.jsonl");
const more = read("vllm-more.jsonl");

export const exchangeOf = (name: string): Exchange => {
  const found = [...exchanges, ...more].find((one) => one.name === name);
  if (found === undefined) throw new Error(`no exchange ${name}`);
  return found;
};

export const isStream = ({ headers }: Exchange): boolean =>
  headers["content-type"]?.startsWith("text/event-stream") === true;

/** Gives the recorded answer again, in pieces of so many bytes (default: whole). */
export function replay(response: ServerResponse, { status, headers, answer }: Exchange, piece = 0): void {
  response.writeHead(status, headers);
  const bytes = Buffer.from(answer ?? "");
  if (piece === 0) {
    response.end(bytes);
    return;
  }
  for (let at = 0; at < bytes.length; at += piece) response.write(bytes.subarray(at, at + piece));
  response.end();
}

/** How many prompts, and choices of each, the recorded request asked for. */
export function shapeOf({ body }: Exchange): { prompts: number; n: number } {
  const sent = typeof body === "string" ? (JSON.parse(body) as unknown) : body;
  const { prompt, n = 1 } = sent as { prompt: unknown; n?: number };
  const several = Array.isArray(prompt) && typeof prompt[0] !== "number";
  return { prompts: several ? prompt.length : 1, n };
}

/** A request of that shape, whatever else the recorded one asked for. */
export function sameShape(exchange: Exchange) {
  const { prompts, n } = shapeOf(exchange);
  const prompt = Array<string>(prompts).fill("The capital of France is");
  return { model: "smollm2", prompt, n, max_tokens: 16 };
}
