import { Agent, request, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { floatsOf } from "../support.ts";
import { events, prompt, type QuirkCase, type Scene } from "./quirk-support.ts";

const capture = { prompt, output_residual_stream: [1, 4] };
const stream = { prompt, max_tokens: 8, seed: 3, temperature: 1, stream: true };

const complete = ({ client }: Scene) =>
  client.completions.create({ model: "tiny", prompt, max_tokens: 1, temperature: 0 });
const readStream = async ({ client }: Scene) => {
  const request = { model: "tiny", prompt, max_tokens: 8, seed: 3, stream: true } as const;
  for await (const _ of await client.completions.create(request));
};
const lensCapture = ({ lens }: Scene) => lens.capture({ prompt, layers: [1, 4] });

/** How a request ends that was sent raw: its status, what came, and how. */
async function raw(scene: Scene, body: object, agent?: Agent) {
  const text = JSON.stringify({ model: "tiny", max_tokens: 1, temperature: 0, ...body });
  const sent = request(`${scene.url}/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...scene.headers },
    ...(agent && { agent }),
  });
  sent.end(text);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let read = "";
  let ended = "open";
  const done = new Promise<void>((resolve) => {
    response.on("data", (chunk: Buffer) => (read += chunk.toString()));
    response.once("end", () => resolve(void (ended = "whole")));
    response.once("error", () => resolve(void (ended = "broken")));
  });
  const patience = new Promise<void>((resolve) => setTimeout(resolve, 1000).unref());
  await Promise.race([done, patience]);
  const result = ended;
  if (result === "open") sent.destroy();
  return { response, read, ended: result, socket: sent.socket! };
}

/** A storm of answers in the place of the route's. */
function storm(status: number, code: string | null, retryAfter: string | null): QuirkCase {
  return {
    observe: async ({ quirky }) => {
      const answer = await quirky({ prompt });
      return [answer.status, answer.body.error?.code ?? null, answer.headers.get("retry-after")];
    },
    on: [status, code, retryAfter],
    off: [200, null, null],
    use: complete,
  };
}

/** Quirks of what is answered. */
export const answerCases = {
  "nan-row": {
    observe: async ({ quirky }) => {
      const answer = await quirky(capture);
      const tensor = answer.body.activations!.residual_stream;
      const [, positions = 0, hidden = 0] = tensor.shape;
      const strange = [...floatsOf(tensor)].flatMap((x, i) =>
        Number.isFinite(x) ? [] : [Math.floor(i / hidden)],
      );
      return [[...new Set(strange)].map((row) => row - positions), strange.length];
    },
    on: [[-1], 96],
    off: [[], 0],
    use: lensCapture,
  },
  "truncated-zstd": {
    observe: async ({ quirky, plain }) => {
      const whole = (await plain(capture)).body.activations!.residual_stream;
      const cut = (await quirky(capture)).body.activations!.residual_stream;
      const [a, b] = [whole, cut].map(({ data }) => Buffer.from(data, "base64"));
      return [b!.equals(a!.subarray(0, a!.length >> 1)), String(cut.shape) === String(whole.shape)];
    },
    on: [true, true],
    off: [false, true],
    use: lensCapture,
  },
  "cut-answer": {
    observe: async (scene) => {
      const { ended, read, response } = await raw(scene, { prompt });
      const frames = events(await scene.quirky(stream));
      return [response.statusCode, ended, read.endsWith("}"), frames.length > 1];
    },
    on: [200, "whole", false, false],
    off: [200, "whole", true, true],
    use: complete,
  },
  "broken-answer": {
    observe: async (scene) => {
      const { ended, read, response } = await raw(scene, { prompt });
      return [response.statusCode, ended, read.endsWith("}")];
    },
    on: [200, "broken", false],
    off: [200, "whole", true],
    use: complete,
  },
  stall: {
    observe: async (scene) => {
      const { ended, read, response } = await raw(scene, { prompt });
      const streamed = await raw(scene, stream);
      return [response.statusCode, ended, read.endsWith("}"), read.length > 0, streamed.ended];
    },
    on: [200, "open", false, true, "open"],
    off: [200, "whole", true, true, "whole"],
    use: ({ client }) =>
      client.completions.create({ model: "tiny", prompt, max_tokens: 1, temperature: 0 }, { timeout: 300 }),
  },
  "slow-boot": {
    observe: async ({ quirky }) => {
      const right = await quirky({ prompt });
      const wrong = await quirky({ prompt: "", max_tokens: 0 });
      return [
        right.status,
        right.text.length - right.text.trimStart().length,
        right.body.choices?.[0]?.text,
        wrong.status,
        wrong.body.error?.code,
      ];
    },
    on: [200, 3072, " true", 200, "invalid_request"],
    off: [200, 0, " true", 400, "invalid_request"],
    use: complete,
  },
  "failed-boot": {
    observe: async ({ quirky }) => {
      const { status, text, body } = await quirky({ prompt });
      return [status, text.length - text.trimStart().length, body.error?.code ?? null];
    },
    on: [200, 3072, "modal_cold_boot"],
    off: [200, 0, null],
    use: complete,
  },
  "stream-without-done": {
    observe: async ({ quirky }) => {
      const frames = events(await quirky(stream));
      return [frames.length > 1, frames.includes("data: [DONE]")];
    },
    on: [true, false],
    off: [true, true],
    use: readStream,
  },
  "stream-error": {
    observe: async ({ quirky }) => {
      const frames = events(await quirky(stream));
      const last = frames.at(-2)!;
      return [frames.at(-1), last.startsWith('data: {"error":'), frames[0]!.includes('"choices"')];
    },
    on: ["data: [DONE]", true, true],
    off: ["data: [DONE]", false, true],
    use: readStream,
  },
  "error-under-200": {
    observe: async ({ quirky }) => {
      const { status, body } = await quirky({ prompt });
      return [status, body.error?.code ?? null, "choices" in body];
    },
    on: [200, "vllm_oom", false],
    off: [200, null, true],
    use: complete,
  },
  "reset-after-500": {
    observe: async (scene) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      try {
        const { response, socket, ended } = await raw(scene, { prompt }, agent);
        const closed = once(socket, "close").then(() => true);
        const lost = await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1000, false))]);
        return [response.statusCode, ended, response.headers.connection, lost];
      } finally {
        agent.destroy();
      }
    },
    on: [500, "whole", "keep-alive", true],
    off: [200, "whole", "keep-alive", false],
    use: complete,
  },
  "storm-429": storm(429, "queue_full", "5"),
  "storm-429-bare": storm(429, "rate_limited", null),
  "storm-502": storm(502, "upstream_unreachable", null),
  "storm-502-html": storm(502, null, null),
  "storm-503": storm(503, "modal_cold_boot", "30"),
  "storm-503-bare": storm(503, "circuit_open", null),
} satisfies Record<string, QuirkCase>;
