import { afterEach, describe, expect, it } from "vitest";
import {
  APIAbortError,
  APIError,
  type Client,
  type ClientOptions,
  createClient,
  InvalidRequestError,
  type Job,
  JobError,
  JobFailedError,
  type JobHandle,
} from "../../src/index.ts";
import { answer, type FaultServer, json } from "../fault-server.ts";
import { failWith, hangUp, jobOf, jobServer } from "./job-server.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function setup(
  routes: Parameters<typeof jobServer>[0],
  options: ClientOptions = {},
): Promise<{ server: FaultServer; client: Client }> {
  const server = await jobServer(routes);
  const client = createClient({
    baseURL: server.url,
    apiKey: "secret-key",
    backoff: { first: 1, longest: 4 },
    ...options,
  });
  open.push(server, client);
  return { server, client };
}

const request = { model: "llama-8b", prompt: ["The sky is", "The grass is"], max_tokens: 2, n: 2 };
const quick = { interval: { first: 2, longest: 10 } };
const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable(),
    (error: unknown) => error as JobError,
  );
const routesOf = (server: FaultServer) =>
  server.seen.map(({ method, path }) => `${method} ${path.replace("/v1/jobs/completions", "")}`);

describe("create", () => {
  it("gives a handle that is plain JSON, without the key", async () => {
    const { client, server } = await setup({
      "POST ": [(response: never) => json(response, 202, jobOf("pending"))],
    });
    const handle = await client.jobs.create(request);
    expect(JSON.parse(JSON.stringify(handle))).toEqual({
      ...{ id: "job_1", model: "llama-8b", prompts: 2, n: 2, created_at: 1791780733 },
      baseURL: server.url,
    });
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual(request);
    expect(JSON.stringify(handle)).not.toContain("secret");
  });

  it("refuses what a job does not take, before sending", async () => {
    const { client, server } = await setup({});
    for (const [wrong, field] of [
      [{ stream: true }, "stream"],
      [{ stream_options: { include_usage: true } }, "stream_options"],
      [{ temperature: 2.5 }, "temperature"],
      [{ n: 65 }, "n"],
      [{ max_tokens: 0 }, "max_tokens"],
    ] as const) {
      const error = await caught(client.jobs.create({ ...request, ...wrong } as typeof request));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect((error as unknown as InvalidRequestError).issues[0]?.field).toBe(field);
    }
    const { message } = await caught(client.jobs.create({ ...request, stream: true } as never));
    expect(message).toContain("never streamed");
    expect(server.seen).toHaveLength(0);
  });

  it("is sent again when the server said that it has no room", async () => {
    const { client, server } = await setup({
      "POST ": [failWith(429, "queue_full"), failWith(503, "http_503"), jobOf("pending")],
    });
    expect((await client.jobs.create(request)).id).toBe("job_1");
    expect(server.seen).toHaveLength(3);
  });

  it.each([
    ["a connection that is lost", hangUp],
    ["a 502", failWith(502, "upstream_unreachable")],
    ["a 500", failWith(500, "internal_error")],
    ["an answer that is cut off", (response: never) => json(response, 200, '{"job_id": "jo')],
    ["an answer that is no job", { hello: 1 }],
  ])("after %s is not sent again, and the caller is told to look", async (_, reply) => {
    const { client, server } = await setup({
      "GET ": [{ data: [] }],
      "POST ": [reply, jobOf("pending")],
    });
    // Seeded, and on a connection that was used before: a completion would be sent again.
    await client.jobs.list();
    const error = await caught(client.jobs.create({ ...request, seed: 1 }));
    expect(error).toBeInstanceOf(JobError);
    expect(error.code).toBe("job_maybe_created");
    expect(error.message).toContain("jobs.list()");
    expect(error.cause).toBeInstanceOf(Error);
    expect(server.seen).toHaveLength(2);
  });

  it("passes on a refusal as it is", async () => {
    const { client } = await setup({ "POST ": [failWith(400, "model_not_found")] });
    const error = await caught(client.jobs.create(request));
    expect(error).toBeInstanceOf(APIError);
    expect(error.code).toBe("model_not_found");
  });
});

describe("wait", () => {
  const handle: JobHandle = {
    ...{ id: "job_1", model: "llama-8b", prompts: 2, n: 2, created_at: 1791780733 },
    baseURL: "http://127.0.0.1:1/v1",
  };
  const looks = (...replies: (object | ((response: never) => unknown))[]) => ({
    "GET /job_1": replies as object[],
    "GET /job_1/result": [answer(4)],
  });

  it("gives the completion in the shape of the request, from a handle that was saved", async () => {
    const { client, server } = await setup(looks(jobOf("pending"), jobOf("running"), jobOf("done")));
    const seen: Job[] = [];
    const saved = JSON.parse(JSON.stringify(handle)) as JobHandle;
    const completion = await client.jobs.wait(saved, { ...quick, onProgress: (job) => seen.push(job) });
    expect(completion.choicesOf(1).map(({ index }) => index)).toEqual([2, 3]);
    expect(seen.map(({ status }) => status)).toEqual(["pending", "running", "done"]);
    expect(routesOf(server)).toEqual([...Array<string>(3).fill("GET /job_1"), "GET /job_1/result"]);
    const alone = await client.jobs.wait("job_1", quick);
    expect(alone.choicesOf(0)).toHaveLength(4);
    expect(() => alone.choicesOf(1)).toThrow(RangeError);
  });

  it("looks less and less often, and not before the server says", async () => {
    const soon = (response: never) => json(response, 200, jobOf("running"), { "retry-after": "0.15" });
    const { client } = await setup(
      looks(jobOf("pending"), soon, jobOf("running"), jobOf("running"), jobOf("done")),
    );
    const times: number[] = [];
    const onProgress = () => void times.push(performance.now());
    await client.jobs.wait(handle, { interval: { first: 10, longest: 1000 }, onProgress });
    const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    expect(gaps[1]).toBeGreaterThanOrEqual(145);
    expect(gaps[3]).toBeGreaterThanOrEqual(30);
  });

  it("says what the server said of a job that failed", async () => {
    const failed = jobOf("failed", { error: { message: "out of memory", type: "x", code: "vllm_oom" } });
    const { client } = await setup(looks(failed));
    const error = await caught(client.jobs.wait(handle));
    expect(error).toBeInstanceOf(JobFailedError);
    expect(error).toMatchObject({
      ...{ code: "job_failed", id: "job_1", serverCode: "vllm_oom", serverMessage: "out of memory" },
    });
    expect(error.message).toBe("job job_1 failed: vllm_oom: out of memory");
  });

  it("tells a cancelled job, one that is gone, and a status that nobody knows", async () => {
    const { client } = await setup({ ...looks(jobOf("cancelled")), "GET /job_2": [jobOf("paused")] });
    expect(await caught(client.jobs.wait(handle))).toMatchObject({ code: "job_cancelled", id: "job_1" });
    const gone = await caught(client.jobs.wait({ ...handle, id: "job_9" }));
    expect(gone).toMatchObject({ code: "job_not_found", id: "job_9" });
    expect(gone.message).toContain("it was made at http://127.0.0.1:1/v1");
    expect((await caught(client.jobs.wait("job_9"))).message).toContain("dropped since it ended");
    const odd = await caught(client.jobs.wait("job_2"));
    expect(odd.code).toBe("job_unknown_status");
    expect(odd.message).toContain('"paused"');
    expect(odd.message).toContain("in_progress");
  });

  it("rides out a server that is away or busy, for so long", async () => {
    const faults = [hangUp, failWith(503, "server_restarting"), failWith(500, "internal_error"), hangUp];
    const { client } = await setup(looks(jobOf("pending"), ...faults, ...faults, jobOf("done")), {
      maxRetries: 0,
    });
    expect((await client.jobs.wait(handle, quick)).choices).toHaveLength(4);
    const { client: other } = await setup(looks(failWith(503, "server_restarting")), { maxRetries: 0 });
    const error = await caught(other.jobs.wait(handle, { ...quick, longestOutage: 60 }));
    expect(error).toMatchObject({ code: "server_restarting", status: 503 });
    const { client: third, server } = await setup(looks(failWith(401, "invalid_api_key")));
    expect(await caught(third.jobs.wait(handle, quick))).toMatchObject({ status: 401 });
    expect(server.seen).toHaveLength(1);
  });

  it("takes a wait of years as an outage, and looks no oftener for it", async () => {
    const years = (response: never) => json(response, 200, jobOf("running"), { "retry-after": "99999999" });
    const { client, server } = await setup(looks(years, jobOf("done")));
    await client.jobs.wait(handle, { ...quick, longestOutage: 50 });
    const { client: other } = await setup(looks(years));
    const error = await caught(other.jobs.wait(handle, { ...quick, timeout: 60 }));
    expect(error.code).toBe("job_timeout");
    expect(server.seen).toHaveLength(3);
  });

  it("ends when its client is closed", async () => {
    const { client } = await setup(looks(jobOf("running")));
    const waiting = caught(client.jobs.wait(handle, quick));
    await client.close();
    expect(await waiting).toMatchObject({
      reason: expect.stringMatching(/^UND_ERR_(CLOSED|DESTROYED)$/) as unknown,
    });
  });

  it("ends at its timeout, also when the server does not answer", async () => {
    const { client } = await setup({ ...looks(jobOf("running")), "GET /job_2": [() => undefined] });
    const error = await caught(client.jobs.wait(handle, { ...quick, timeout: 60 }));
    expect(error).toMatchObject({ code: "job_timeout", data: { timeout: 60 } });
    const silent = await caught(client.jobs.wait("job_2", { ...quick, timeout: 60, maxRetries: 0 }));
    expect(silent).toMatchObject({ code: "job_timeout" });
  });

  it("ends by its signal; the job goes on unless asked", async () => {
    const { client, server } = await setup({
      ...looks(jobOf("running")),
      "DELETE /job_1": [jobOf("cancelled")],
    });
    for (const cancelOnAbort of [false, true]) {
      const controller = new AbortController();
      const onProgress = () => controller.abort();
      const options = { signal: controller.signal, cancelOnAbort, onProgress, interval: { first: 60_000 } };
      expect(await caught(client.jobs.wait(handle, options))).toBeInstanceOf(APIAbortError);
      expect(routesOf(server).includes("DELETE /job_1")).toBe(cancelOnAbort);
    }
  });

  it("takes no handle that is none, and no intervals that make no sense", async () => {
    const { client, server } = await setup(looks(jobOf("done")));
    for (const wrong of ["", {}, { ...handle, n: 0 }, null])
      expect(await caught(client.jobs.wait(wrong as never))).toMatchObject({ code: "invalid_option" });
    const error = await caught(client.jobs.wait(handle, { interval: { first: 0 } }));
    expect(error.message).toContain("interval.first: 0");
    expect(server.seen).toHaveLength(0);
  });
});

describe("the protocol", () => {
  it("has the assumed paths", async () => {
    const { client, server } = await setup({
      "GET /job_1": [jobOf("done", { completed_at: 5 })],
      "GET /job_1/result": [answer(1)],
      "DELETE /job_1": [jobOf("cancelled")],
      "GET ": [{ object: "list", data: [jobOf("running"), jobOf("failed")] }],
    });
    const job = await client.jobs.retrieve("job_1");
    expect(job).toMatchObject({ id: "job_1", status: "done", created_at: 1791780733, completed_at: 5 });
    expect(job.raw).toHaveProperty("object", "completion.job");
    expect((await client.jobs.result("job_1")).choices).toHaveLength(1);
    expect((await client.jobs.cancel("job_1")).status).toBe("cancelled");
    expect((await client.jobs.list()).map(({ status }) => status)).toEqual(["running", "failed"]);
    expect(routesOf(server)).toEqual(["GET /job_1", "GET /job_1/result", "DELETE /job_1", "GET "]);
  });

  it("can be another: paths, words, fields, and the result inside the job", async () => {
    const job = { id: "a/b", state: "FINISHED", output: answer(1), created: 7 };
    const { client, server } = await setup(
      {
        "POST /v1/batch": [{ id: "a/b", state: "WAITING" }],
        "GET /v1/batch/job/a%2Fb": [job],
        "POST /v1/batch/a%2Fb/stop": [{ id: "a/b", state: "STOPPED" }],
        "GET /v1/batch": [[job]],
      },
      {
        jobs: {
          path: "/batch",
          retrieve: "/job/{id}",
          result: { field: "output" },
          cancel: { method: "POST", path: "/{id}/stop" },
          fields: { status: ["state"] },
          words: { pending: ["WAITING"], done: ["finished"], cancelled: ["Stopped"] },
        },
      },
    );
    const handle = await client.jobs.create({ ...request, prompt: "x", n: 1 });
    expect((await client.jobs.wait(handle)).choices[0]?.text).toBe(" choice 0");
    expect((await client.jobs.cancel(handle)).word).toBe("STOPPED");
    expect((await client.jobs.list())[0]?.created_at).toBe(7);
    expect(server.seen).toHaveLength(5);
  });

  it("takes undefined for what is not given", () => {
    const jobs = { list: undefined, words: { failed: undefined }, cancel: undefined } as never;
    expect(() => createClient({ baseURL: "http://127.0.0.1/v1", jobs })).not.toThrow();
  });

  it("is refused where a path has no place for the id, and takes another root from paths", async () => {
    expect(() => createClient({ baseURL: "http://127.0.0.1/v1", jobs: { retrieve: "/job" } })).toThrow(
      "{id}",
    );
    const { client, server } = await setup({ "GET /v1/work": [{ data: [] }] }, { paths: { jobs: "/work" } });
    expect(await client.jobs.list()).toEqual([]);
    expect(server.seen[0]?.path).toBe("/v1/work");
  });
});
