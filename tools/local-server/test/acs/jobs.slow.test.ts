import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hashApiKey, type LedgerEntry, startServer } from "../../src/index.ts";
import { ask, doneJob, submit, until, type Job } from "./job-support.ts";
import { rawTensor, start, tinyModel, type Running } from "../support.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "residua-jobs-test-"));
});
afterAll(() => rm(root, { recursive: true }));

const open: Running[] = [];
const launch = async (...options: Parameters<typeof start>) => {
  const running = await start(...options);
  open.push(running);
  return running;
};
afterEach(async () => {
  for (const running of open.splice(0)) {
    await running.close();
    expect(running.logged).toEqual([]);
  }
});

/** What came once comes for ever: no choice of it ends early. */
const long = { prompt: "The", n: 2, max_tokens: 1000, repetition_penalty: 0.01 };

async function entries(file: string): Promise<LedgerEntry[]> {
  const lines = (await readFile(file, "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LedgerEntry);
}

test("a job runs to the result that the same request has", async () => {
  const running = await launch();
  const body = { prompt: ["The city", "a"], n: 2, max_tokens: 5, seed: 3, logprobs: 1, temperature: 2 };
  const job = await submit(running, body);
  expect(job).toEqual({
    job_id: expect.stringMatching(/^job_[0-9a-f]{16}$/) as string,
    object: "completion.job",
    status: "pending",
    model: "tiny",
    created_at: expect.any(Number) as number,
    started_at: null,
    completed_at: null,
    usage: null,
    error: null,
  });
  const done = await until(running, job.job_id, "done");
  const whole = (await running.complete(body)).body;
  const result = await ask(running, "GET", `/${job.job_id}/result`);
  expect(result.status).toBe(200);
  const own = { id: expect.any(String) as string, created: expect.any(Number) as number };
  expect(result.body).toEqual({ ...whole, ...own });
  expect(done.usage).toEqual(whole.usage);
  const second = await doneJob(running, { prompt: "a", max_tokens: 1 });
  expect((await ask(running, "GET")).body).toEqual({ object: "list", data: [second, done] });
});

test("its own limits, both sides; never streamed", async () => {
  const running = await launch();
  const refused = async (body: object) => {
    const { status, body: answer } = await ask(running, "POST", "", { prompt: "a", max_tokens: 1, ...body });
    const { error } = answer as { error: { code: string; message: string } };
    expect([status, error.code]).toEqual([400, "invalid_request"]);
    return error.message;
  };
  expect(await refused({ temperature: 2.01 })).toMatch(/^temperature: /);
  expect(await refused({ n: 129 })).toMatch(/^n: 1 prompts × 129 choices = 129 choices, over the 128 /);
  expect(await refused({ prompt: ["a", "b", "c"], n: 43 })).toMatch(/ = 129 choices, over the 128 /);
  expect(await refused({ stream: true })).toBe(
    "stream: a completion job is never streamed; leave it out, or give false",
  );
  expect(await refused({ stream_options: { include_usage: true } })).toMatch(/^stream_options: /);
  expect(await refused({ best_of: 1 })).toBe("best_of: unknown field; leave it out");
  expect((await ask(running, "GET")).body).toEqual({ object: "list", data: [] });
  const job = await doneJob(running, {
    prompt: ["a", "b"],
    n: 64,
    max_tokens: 1,
    temperature: 2,
    stream: false,
  });
  expect(job.usage!.total_tokens).toBeGreaterThan(128);
  // The same through POST /completions has the wider limits.
  expect((await running.complete({ prompt: "a", n: 129, max_tokens: 1, temperature: 3 })).status).toBe(200);
});

test("cancelled by either way, waiting or running; an ended job is not", async () => {
  const ledger = join(root, "cancelled.jsonl");
  const running = await launch({ ledger });
  const jobs: Job[] = [];
  for (let i = 0; i < 18; i++) jobs.push(await submit(running, long));
  await until(running, jobs[0]!.job_id, "running");
  expect((await until(running, jobs[17]!.job_id, "pending")).started_at).toBe(null);
  const early = await ask(running, "GET", `/${jobs[0]!.job_id}/result`);
  expect([early.status, early.body]).toMatchObject([409, { error: { code: "job_not_done" } }]);
  for (const [i, { job_id: id }] of jobs.reverse().entries()) {
    const [method, path] = i % 2 === 0 ? ["DELETE", `/${id}`] : ["POST", `/${id}/cancel`];
    const answer = await ask(running, method, path);
    expect([answer.status, answer.body]).toMatchObject([200, { job_id: id, status: "cancelled" }]);
    // Once more is no error.
    expect((await ask(running, method, path)).body).toEqual(answer.body);
  }
  expect(running.model.stats()).toMatchObject({ active: 0, waiting: 0 });
  const all = await entries(ledger);
  expect(all.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(0);
  expect(all.length).toBe(3 * 18);
  const { job_id: done } = await doneJob(running, { prompt: "a", max_tokens: 1 });
  const late = await ask(running, "DELETE", `/${done}`);
  expect([late.status, late.body]).toMatchObject([409, { error: { code: "job_not_cancellable" } }]);
});

test("another key's jobs are not there", async () => {
  const keys = { ann: "key-of-ann-6f1c90aa", ben: "key-of-ben-77d01b42" };
  const apiKeys = [hashApiKey(keys.ann, { id: "ann", budget: 100 }), hashApiKey(keys.ben, { id: "ben" })];
  const running = await launch({ apiKeys });
  const [ann, ben] = [keys.ann, keys.ben].map((key) => ({ authorization: `Bearer ${key}` }));
  const { job_id: id } = await submit(running, { prompt: "a", max_tokens: 2 }, ann);
  await until(running, id, "done", ann);
  for (const [method, path] of [
    ["GET", `/${id}`],
    ["GET", `/${id}/result`],
    ["DELETE", `/${id}`],
    ["POST", `/${id}/cancel`],
    ["GET", "/job_0000000000000000"],
    ["GET", "/..%2f..%2fetc%2fpasswd/result"],
  ] as const) {
    const { status, body } = await ask(running, method, path, undefined, ben);
    expect([status, body]).toMatchObject([404, { error: { code: "job_not_found" } }]);
  }
  expect((await ask(running, "GET", "", undefined, ben)).body).toMatchObject({ data: [] });
  expect((await ask(running, "GET", `/${id}`)).status).toBe(401);
  const over = await ask(running, "POST", "", { prompt: "a", max_tokens: 100 }, ann);
  expect([over.status, over.body]).toMatchObject([429, { error: { code: "budget_exceeded" } }]);
});

test("a job that fails says why", async () => {
  const running = await launch();
  const { hiddenSize } = running.model.config;
  const huge = rawTensor(Array<number>(hiddenSize).fill(1e38), [1, 1, hiddenSize]);
  const vectors = [{ activations: huge, layer_indices: [0], scale: 1e30, position_indices: [0] }];
  const { job_id: id } = await submit(running, { prompt: "a", apply_steering_vectors: vectors });
  const error = {
    message: expect.stringMatching(/not finite/) as string,
    type: "invalid_request_error",
    code: "invalid_request",
  };
  expect((await until(running, id, "failed")).error).toEqual(error);
  const result = await ask(running, "GET", `/${id}/result`);
  expect([result.status, result.body]).toMatchObject([409, { error: { code: "job_not_done" } }]);
});

describe("a restart", () => {
  test("with a key disabled: its jobs wait until it is back", async () => {
    const jobs = join(root, "disabled");
    const key = "key-of-ann-6f1c90aa";
    const headers = { authorization: `Bearer ${key}` };
    const record = hashApiKey(key, { id: "ann" });
    const other = hashApiKey("key-of-ben-77d01b42", { id: "ben" });
    const first = await launch({ jobs, apiKeys: [record, other] });
    const { job_id: id } = await submit(first, long, headers);
    await first.close();
    open.length = 0;
    for (const apiKeys of [[{ ...record, disabled: true }, other], [other]]) {
      const without = await launch({ jobs, apiKeys });
      expect((await ask(without, "GET", `/${id}`, undefined, headers)).status).toBe(401);
      expect(without.model.stats()).toMatchObject({ active: 0, waiting: 0 });
      await without.close();
      open.length = 0;
    }
    const back = await launch({ jobs, apiKeys: [record, other] });
    await until(back, id, "running", headers);
  });

  test("after closing: what ran runs again, results stay, a broken file is refused", async () => {
    const jobs = join(root, "closed");
    const first = await launch({ jobs });
    const done = await doneJob(first, { prompt: "a", max_tokens: 3 });
    const result = (await ask(first, "GET", `/${done.job_id}/result`)).body;
    const { job_id: id } = await submit(first, long);
    await until(first, id, "running");
    await first.close();
    open.length = 0;
    const second = await launch({ jobs });
    await until(second, id, "running");
    expect((await ask(second, "GET", `/${done.job_id}`)).body).toEqual(done);
    expect((await ask(second, "GET", `/${done.job_id}/result`)).body).toEqual(result);
    await ask(second, "DELETE", `/${id}`);
    await second.close();
    open.length = 0;
    const third = await launch({ jobs });
    expect((await ask(third, "GET")).body).toMatchObject({
      data: [{ job_id: id, status: "cancelled" }, { job_id: done.job_id }],
    });
    // Node's own mkdir of several folders never ends under /proc.
    for (const nowhere of ["/proc/none/jobs", join(tinyModel, "config.json", "jobs")])
      await expect(startServer({ model: third.model, jobs: nowhere })).rejects.toMatchObject({
        code: "jobs_folder_invalid",
      });
    await expect(startServer({ model: third.model, jobs, profile: "vllm" })).rejects.toThrow(
      "jobs: the profile vllm has none",
    );
    await writeFile(join(jobs, "job_0123456789abcdef.json"), "{");
    await expect(startServer({ model: third.model, jobs })).rejects.toMatchObject({
      code: "jobs_folder_invalid",
    });
  });

  test("after kill -9 in mid-job: it runs again and ends once", async () => {
    const jobs = join(root, "killed");
    const ledger = join(root, "killed.jsonl");
    const script = `
      import { startServer } from ${JSON.stringify(new URL("../../src/index.ts", import.meta.url).href)};
      const server = await startServer(${JSON.stringify({ model: tinyModel, jobs, ledger })});
      console.log(server.url);`;
    const child = spawn(
      process.execPath,
      ["--import", "tsx", "--conditions=@residua/source", "--input-type=module", "-e", script],
      { cwd: fileURLToPath(new URL("../..", import.meta.url)), stdio: ["ignore", "pipe", "inherit"] },
    );
    const exited = once(child, "exit");
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const killed = { server: { url: line.toString().trim() } } as Running;
    const body = { prompt: "The", n: 20, max_tokens: 120, temperature: 2, seed: 1 };
    const { job_id: id } = await submit(killed, body);
    const { job_id: waiting } = await submit(killed, { prompt: "a", max_tokens: 2, priority: 9 });
    await until(killed, id, "running");
    child.kill("SIGKILL");
    expect(await exited).toEqual([null, "SIGKILL"]);

    // A server of another model leaves them for one that has theirs.
    const other = await launch({ jobs, ledger, modelId: "other" });
    expect((await ask(other, "GET", `/${id}`)).body).toMatchObject({ status: "pending" });
    await other.close();
    open.length = 0;
    const second = await launch({ jobs, ledger });
    const done = await until(second, id, "done");
    await until(second, waiting, "done");
    const result = (await ask(second, "GET", `/${id}/result`)).body as { choices: unknown[] };
    expect(result.choices.length).toBe(20);
    expect(result.choices).toEqual((await second.complete(body)).body.choices);
    await second.close();
    open.length = 0;
    const written = await entries(ledger);
    expect(written.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(0);
    const most = written[0]!.tokens;
    const ends = written
      .filter(({ kind, tokens }) => kind === "hold" && tokens === most)
      .map(({ hold }) => written.find((entry) => entry.hold === hold && entry.kind === "settle")!.tokens);
    // The killed run paid nothing; the job paid once, and the request that it was compared with.
    expect(ends).toEqual([0, -done.usage!.total_tokens, -done.usage!.total_tokens]);

    const third = await launch({ jobs, ledger });
    expect((await ask(third, "GET", `/${id}`)).body).toEqual(done);
    expect((await ask(third, "GET", `/${id}/result`)).body).toEqual(result);
    expect(await entries(ledger)).toEqual(written);
    const files = [id, waiting].flatMap((job) => [`${job}.json`, `${job}.result.json`]);
    expect((await readdir(jobs)).sort()).toEqual(files.sort());
  });
});
