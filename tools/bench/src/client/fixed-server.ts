import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
import { cap } from "./driver.ts";

// A server of fixed answers in a process of its own: what it answers is in the first part of the path.

const head = {
  id: "cmpl-1",
  object: "text_completion",
  created: 1791780733,
  model: "meta-llama/Llama-3.1-8B",
};
const answer = JSON.stringify({
  ...head,
  choices: [
    {
      index: 0,
      text: " blue and the grass is green, as far as one sees",
      logprobs: null,
      finish_reason: "length",
    },
  ],
  usage: { prompt_tokens: 4, completion_tokens: 16, total_tokens: 20 },
});
const chunk = (text: string, finish_reason: string | null) =>
  `data: ${JSON.stringify({ ...head, choices: [{ index: 0, text, logprobs: null, finish_reason }] })}\n\n`;

const routes: Readonly<Record<string, (response: ServerResponse) => void | Promise<void>>> = {
  small: (response) => json(response, answer),
  /** 10 000 chunks as fast as they go, as ten tokens of a batch are written together. */
  long: async (response) => {
    startStream(response);
    for (let i = 0; i < 10_000; i++) {
      const room = response.write(chunk(` word${i % 97}`, i === 9999 ? "length" : null));
      if (!room) await new Promise((resolve) => response.once("drain", resolve));
      if (i % 10 === 9) await setImmediate();
    }
    response.end("data: [DONE]\n\n");
  },
  /** One chunk, and 50 more from the release on. */
  many: async (response) => {
    startStream(response);
    response.write(chunk(" first", null));
    await released;
    for (let i = 0; i < 50; i++) {
      await setTimeout(20);
      response.write(chunk(` word${i}`, i === 49 ? "length" : null));
    }
    response.end("data: [DONE]\n\n");
  },
  /** As many at a time as the cap, each of 40 to 120 ms; more are refused. */
  capped: async (response) => {
    if (load.active >= cap) {
      load.refused += 1;
      json(
        response,
        JSON.stringify({ error: { message: "full", type: "rate_limit_error", code: "queue_full" } }),
        429,
      );
      return;
    }
    load.change(1);
    await setTimeout(40 + ((load.served * 37) % 81));
    load.change(-1);
    json(response, answer);
  },
};

/** How busy the capped route was: the integral of the requests under way over the cap and the time from the first to the last. */
const load = {
  active: 0,
  served: 0,
  refused: 0,
  busy: 0,
  first: 0,
  last: 0,
  change(by: 1 | -1) {
    const now = performance.now();
    if (this.served === 0 && this.active === 0) this.first = now;
    else this.busy += this.active * (now - this.last);
    this.last = now;
    this.active += by;
    if (by < 0) this.served += 1;
  },
  take() {
    const { busy, first, last, served, refused } = this;
    Object.assign(this, { active: 0, served: 0, refused: 0, busy: 0 });
    return { share: busy / (cap * (last - first)), served, refused };
  },
};

let release: () => void;
let released: Promise<void>;
const hold = () => (released = new Promise((resolve) => (release = resolve)));
void hold();

function json(response: ServerResponse, body: string, status = 200): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

function startStream(response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request: IncomingMessage, response) => {
  request.resume();
  request.on("end", () => {
    const [, route = "", ...rest] = request.url!.split("/");
    const what = rest.join("/");
    if (what === "release") {
      release();
      void hold();
      json(response, "{}");
    } else if (what === "load") json(response, JSON.stringify(load.take()));
    else if (what === "v1/models") {
      const capabilities = { max_inflight_per_key: cap, max_model_len: 8192 };
      json(
        response,
        JSON.stringify({ object: "list", data: [{ id: "llama-8b", object: "model", capabilities }] }),
      );
    } else void routes[route]!(response);
  });
});
server.listen(0, "127.0.0.1", 4096, () => {
  process.send!({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
process.on("disconnect", () => process.exit());
