import { setTimeout as sleep } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import { type Client, type ClientOptions, createClient, type SampleOutcome } from "../../src/index.ts";
import { type FaultServer, faultServer, json } from "../fault-server.ts";

/** A completion request as it came over the wire. */
export interface Asked {
  model: string;
  prompt: string | string[] | number[] | number[][];
  max_tokens?: number;
  n?: number;
  seed?: number;
}

/** What the server does with the nth completion request; true when it has answered. */
type Misbehave = (asked: Asked, response: ServerResponse, nth: number) => boolean | Promise<boolean>;

export interface CrowdServer extends FaultServer {
  /** Completion requests that were being answered at the same time, now and at most. */
  inFlight: number;
  most: number;
  /** Completion requests in the order of their coming, and when (milliseconds). */
  asked: Asked[];
  times: number[];
}

interface CrowdOptions {
  /** Milliseconds that an answer takes. */
  delay?: number | ((asked: Asked) => number);
  capabilities?: object;
  misbehave?: Misbehave;
}

/** A server that answers each completion after a while with texts made of its prompt and seed, and counts who is there. */
export async function crowdServer({
  delay = 2,
  capabilities,
  misbehave,
}: CrowdOptions = {}): Promise<CrowdServer> {
  let crowd: CrowdServer | undefined = undefined as CrowdServer | undefined;
  const server = await faultServer(async ({ path, body }, response) => {
    if (crowd === undefined) return;
    if (path.endsWith("/models")) {
      if (capabilities === undefined) json(response, 404, { error: { message: "none", code: "not_found" } });
      else json(response, 200, { data: [{ id: "llama-8b", capabilities }] });
      return;
    }
    const asked = JSON.parse(body) as Asked;
    crowd.asked.push(asked);
    crowd.times.push(performance.now());
    crowd.most = Math.max(crowd.most, ++crowd.inFlight);
    let here = true;
    const leave = () => {
      if (here && crowd !== undefined) crowd.inFlight--;
      here = false;
    };
    response.on("close", leave);
    const answered = await misbehave?.(asked, response, crowd.asked.length - 1);
    if (answered !== true) {
      await sleep(typeof delay === "function" ? delay(asked) : delay);
      leave();
      json(response, 200, completionOf(asked));
    }
    leave();
  });
  crowd = Object.assign(server, { inFlight: 0, most: 0, asked: [], times: [] });
  return crowd;
}

/** Choice i of a prompt says which prompt and which seed (the request's + i) it is of; three tokens each. */
export function completionOf({ prompt, n = 1, seed, max_tokens: most = 16 }: Asked): object {
  const prompts =
    typeof prompt === "string" || typeof prompt[0] === "number"
      ? [prompt]
      : (prompt as (string | number[])[]);
  const choices = prompts.flatMap((one, p) =>
    Array.from({ length: n }, (_, i) => ({
      index: p * n + i,
      text: `${JSON.stringify(one)} ${seed === undefined ? "unseeded" : seed + i}`,
      logprobs: null,
      finish_reason: most === 3 ? "length" : "stop",
    })),
  );
  const usage = { prompt_tokens: 4 * prompts.length, completion_tokens: 3 * choices.length };
  return {
    id: "cmpl-1",
    object: "text_completion",
    created: 1791780733,
    model: "meta-llama/Llama-3.1-8B",
    choices,
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  };
}

/** Requests of one text each: "p0", "p1", … */
export function requestsOf(count: number, extra: object = {}) {
  return Array.from({ length: count }, (_, i) => ({
    model: "llama-8b",
    prompt: `p${i}`,
    max_tokens: 3,
    ...extra,
  }));
}

export function clientOf(server: FaultServer, options: ClientOptions = {}): Client {
  return createClient({ baseURL: server.url, apiKey: "k", backoff: { first: 2, longest: 20 }, ...options });
}

export async function collect(run: AsyncIterable<SampleOutcome>): Promise<SampleOutcome[]> {
  const outcomes = [];
  for await (const outcome of run) outcomes.push(outcome);
  return outcomes;
}

/** Closes what it was given, the last first. */
export function makeCloser(): { <T extends { close(): Promise<void> }>(thing: T): T; all(): Promise<void> } {
  const open: { close(): Promise<void> }[] = [];
  const add = <T extends { close(): Promise<void> }>(thing: T) => {
    open.push(thing);
    return thing;
  };
  return Object.assign(add, {
    async all() {
      for (const thing of open.splice(0).reverse()) await thing.close();
    },
  });
}
