import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createClient, type JobHandle } from "@residua/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve, tinyModel } from "../support.ts";

const quick = { interval: { first: 10, longest: 100 } };

/** Runs a module's text in a process of its own, from this package's folder. */
function run(script: string): ChildProcess & { stdout: NonNullable<ChildProcess["stdout"]> } {
  const args = ["--import", "tsx", "--conditions=@residua/source", "--input-type=module", "-e", script];
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  return spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
}

describe("jobs on the local server", () => {
  const running = serve();
  const open = () => createClient({ baseURL: running.server.url, backoff: { first: 1, longest: 10 } });

  test("a job has the completion that the same request has", async () => {
    const client = open();
    const request = { model: "tiny", prompt: ["Paris is in", "Rome is in"], max_tokens: 4, n: 2, seed: 3 };
    const handle = await client.jobs.create(request);
    const job = await client.jobs.wait(handle, quick);
    const completion = await client.completions.create(request);
    expect(job.choicesOf(1)).toEqual(completion.choicesOf(1));
    expect(job.usage).toEqual(completion.usage);
    expect(await client.jobs.retrieve(handle)).toMatchObject({
      id: handle.id,
      status: "done",
      model: "tiny",
    });
    expect((await client.jobs.list()).map(({ id }) => id)).toContain(handle.id);
    await expect(client.jobs.cancel(handle)).rejects.toMatchObject({
      code: "job_not_cancellable",
      status: 409,
    });
    await client.close();
  });

  test("a job is cancelled, also when the waiting ends", async () => {
    const client = open();
    const long = { model: "tiny", prompt: "The", n: 16, max_tokens: 1000, repetition_penalty: 0.01 };
    const handle = await client.jobs.create(long);
    await expect(client.jobs.result(handle)).rejects.toMatchObject({ code: "job_not_done" });
    expect((await client.jobs.cancel(handle)).status).toBe("cancelled");
    await expect(client.jobs.wait(handle)).rejects.toMatchObject({ code: "job_cancelled" });
    const other = await client.jobs.create(long);
    const controller = new AbortController();
    const waiting = client.jobs.wait(other, {
      ...{ signal: controller.signal, cancelOnAbort: true },
      onProgress: () => controller.abort(),
    });
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    expect((await client.jobs.retrieve(other)).status).toBe("cancelled");
    await client.close();
  });

  test("what is not there, or not taken, is told", async () => {
    const client = open();
    await expect(client.jobs.wait("job_0123456789abcdef")).rejects.toMatchObject({ code: "job_not_found" });
    const unknown = { model: "elsewhere", prompt: "The", max_tokens: 1 };
    await expect(client.jobs.create(unknown)).rejects.toMatchObject({ status: 400 });
    await client.close();
  });
});

describe("a job outlives", () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "residua-client-jobs-"));
  });
  afterAll(() => rm(root, { recursive: true }));

  const source = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

  async function serverProcess(port = 0) {
    const options = { model: tinyModel, jobs: join(root, "jobs"), port };
    const child = run(`
      import { startServer } from ${source("../../src/index.ts")};
      console.log((await startServer(${JSON.stringify(options)})).url);`);
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    return { child, url: line.toString().trim() };
  }

  /** A process that does one thing with a client and prints what came of it. */
  async function clientProcess(url: string, statement: string): Promise<unknown> {
    const child = run(`
      import { createClient } from ${source("../../../../packages/client/src/index.ts")};
      const client = createClient({ baseURL: ${JSON.stringify(url)} });
      console.log(JSON.stringify(await ${statement}));
      await client.close();`);
    return JSON.parse(await text(child.stdout)) as unknown;
  }

  test("kill -9 of the server, and the process that made it", async () => {
    const first = await serverProcess();
    const request = { model: "tiny", prompt: "The", n: 20, max_tokens: 120, temperature: 2, seed: 1 };
    const handle = (await clientProcess(
      first.url,
      `client.jobs.create(${JSON.stringify(request)})`,
    )) as JobHandle;
    // Another process waits while the server dies and comes back where it was.
    const saved = JSON.stringify(JSON.stringify(handle));
    const waiting = clientProcess(
      first.url,
      `client.jobs.wait(JSON.parse(${saved}), { interval: { first: 50, longest: 200 } })`,
    );
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    const second = await serverProcess(Number(new URL(first.url).port));
    const completion = (await waiting) as { choices: { text: string }[] };
    expect(completion.choices).toHaveLength(20);
    const client = createClient({ baseURL: second.url });
    expect((await client.completions.create(request)).choices.map(({ text: t }) => t)).toEqual(
      completion.choices.map(({ text: t }) => t),
    );
    await client.close();
    second.child.kill("SIGKILL");
    await once(second.child, "exit");
  });
});
