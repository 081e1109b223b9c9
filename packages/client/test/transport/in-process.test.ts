import { describe, expect, it } from "vitest";
import {
  APIAbortError,
  APIError,
  APITimeoutError,
  createClient,
  type InProcessAnswer,
  type InProcessRequest,
  ResiduaError,
} from "../../src/index.ts";
import { caught, request } from "../client-support.ts";
import { answer } from "../fault-server.ts";

function setup(reply: (request: InProcessRequest) => Promise<InProcessAnswer> | InProcessAnswer) {
  const seen: InProcessRequest[] = [];
  const server = {
    answer: async (given: InProcessRequest) => {
      seen.push(given);
      return reply(given);
    },
  };
  return { seen, client: createClient({ server }) };
}

const forever = () => new Promise<never>(() => undefined);

describe("a server in this process", () => {
  it("gets bodies as they are, and its answer is read as any other", async () => {
    const data = new Uint8Array([1, 2, 3]);
    const { client, seen } = setup(() => ({
      status: 200,
      body: { ...answer(1), activations: { residual_stream: { data } } },
    }));
    const completion = await client.completions.create(request);
    expect(completion.choicesOf(0)).toHaveLength(1);
    const { activations } = completion as unknown as { activations: { residual_stream: { data: unknown } } };
    expect(activations.residual_stream.data).toBe(data);
    const posted = seen.find(({ method }) => method === "POST");
    expect(posted).toMatchObject({ path: "/v1/completions", body: request });
  });

  it("answers errors that become those of a connection", async () => {
    const error = { message: "n: too many", type: "invalid_request_error", code: "invalid_request" };
    const { client } = setup(() => ({ status: 400, body: { error } }));
    const refused = (await caught(client.completions.create(request))) as APIError;
    expect(refused).toBeInstanceOf(APIError);
    expect(refused).toMatchObject({
      status: 400,
      code: "invalid_request",
      message: "400 invalid_request: n: too many",
      body: JSON.stringify({ error }),
    });
  });

  it("is asked again where that may help", async () => {
    let tries = 0;
    const server = {
      answer: () => {
        tries++;
        const body = tries === 1 ? { error: { message: "busy", code: "queue_full" } } : answer(0);
        return Promise.resolve({ status: tries === 1 ? 429 : 200, body });
      },
    };
    const client = createClient({ server, backoff: { first: 1 } });
    await client.request({ method: "POST", path: "/completions", body: request });
    expect(tries).toBe(2);
  });

  it("throws what it throws", async () => {
    const fault = new ResiduaError("model_disposed", "it is gone");
    const { client } = setup(() => Promise.reject(fault));
    expect(await caught(client.completions.create(request))).toBe(fault);
  });

  it("hears of the caller's signal and of time limits", async () => {
    const { client, seen } = setup(forever);
    const controller = new AbortController();
    const raw = { method: "POST", path: "/completions", body: request } as const;
    const pending = caught(client.request(raw, { signal: controller.signal }));
    await expect.poll(() => seen.length).toBe(1);
    controller.abort();
    expect(await pending).toBeInstanceOf(APIAbortError);
    expect(seen[0]?.signal.aborted).toBe(true);
    const late = await caught(client.request(raw, { timeout: 20, maxRetries: 0 }));
    expect(late).toBeInstanceOf(APITimeoutError);
    expect(seen[1]?.signal.aborted).toBe(true);
  });

  it("may be asked for bytes, and does not stream", async () => {
    const { client } = setup(() => ({ status: 200, body: answer(0) }));
    const { body } = await client.request({ path: "/metrics", bytes: true });
    expect(JSON.parse(new TextDecoder().decode(body as Uint8Array))).toEqual(answer(0));
    expect(await caught(client.completions.create({ ...request, stream: true }))).toMatchObject({
      code: "unexpected_response",
    });
  });

  it("has no address", () => {
    const server = { answer: forever };
    expect(() => createClient({ server, baseURL: "http://127.0.0.1:1/v1" })).toThrow(
      /leave out one of the two/,
    );
    expect(() => createClient({ server: {} as typeof server })).toThrow(/an object with answer/);
    expect(createClient({ server }).baseURL).toBe("http://in-process/v1");
  });
});
