import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { expiredJobs } from "../../src/acs/job-retention.ts";
import { start } from "../support.ts";
import { ask, doneJob, submit, until } from "./job-support.ts";

test("a key keeps its latest ended jobs, none longer than that, and every job that has not ended", () => {
  const ended = fc.constantFrom("done" as const, "failed" as const, "cancelled" as const);
  const job = fc.oneof(
    fc.record({ status: ended, completed_at: fc.nat(100), owner: fc.constantFrom("ann", "ben") }),
    fc.record({
      status: fc.constantFrom("pending" as const, "running" as const),
      completed_at: fc.constant(null),
      owner: fc.constantFrom("ann", "ben"),
    }),
  );
  fc.assert(
    fc.property(
      fc.array(job),
      fc.nat(120),
      fc.nat(60),
      fc.integer({ min: 1, max: 5 }),
      (jobs, now, seconds, count) => {
        const records = jobs.map((fields, number) => ({ ...fields, number }));
        const expired = expiredJobs(records, now, { seconds, count });
        const kept = records.filter((record) => !expired.includes(record));
        for (const { completed_at: end } of expired) expect(end).not.toBeNull();
        for (const owner of ["ann", "ben"]) {
          const own = kept.filter((record) => record.owner === owner && record.completed_at !== null);
          expect(own.length).toBeLessThanOrEqual(count);
          for (const { completed_at: end } of own) expect(now - end!).toBeLessThan(seconds);
          // What was dropped was too old, or had as many later ones before it as are kept.
          for (const record of expired.filter((one) => one.owner === owner)) {
            const later = own.filter(({ completed_at: end }) => end! >= record.completed_at!).length;
            expect(now - record.completed_at! >= seconds || later === count).toBe(true);
          }
        }
      },
    ),
  );
});

const short = { prompt: "a", max_tokens: 1 };
const files = async (folder: string) => (await readdir(folder)).map((name) => name.slice(0, 20)).sort();

test("by count, the oldest goes with its result, a running job stays, across restarts", async () => {
  const jobs = await mkdtemp(join(tmpdir(), "residua-retention-"));
  const options = { jobs, jobRetention: { count: 2 } };
  const first = await start(options);
  const long = { prompt: "The", n: 2, max_tokens: 1000, repetition_penalty: 0.01 };
  const { job_id: running } = await submit(first, long);
  await until(first, running, "running");
  const ended: string[] = [];
  for (let i = 0; i < 4; i++) ended.push((await doneJob(first, short)).job_id);
  const shown = async () => {
    const { body } = await ask(first, "GET");
    return (body as { data: { job_id: string }[] }).data.map(({ job_id: id }) => id);
  };
  // The oldest goes just after the newest has ended.
  while ((await shown()).length > 3) await sleep(10);
  expect(await shown()).toEqual([ended[3], ended[2], running]);
  for (const path of [`/${ended[0]}`, `/${ended[0]}/result`])
    expect((await ask(first, "GET", path)).status).toBe(404);
  expect((await ask(first, "GET", `/${ended[3]}/result`)).status).toBe(200);
  await first.close();
  expect(await files(jobs)).toEqual([running, ended[2]!, ended[2]!, ended[3]!, ended[3]!].sort());
  // A result whose job was removed just before the process was killed.
  await writeFile(join(jobs, "job_0123456789abcdef.result.json"), "{}");
  const second = await start({ jobs, jobRetention: { count: 1 } });
  await until(second, running, "running");
  expect((await ask(second, "GET", `/${ended[2]}`)).status).toBe(404);
  expect((await ask(second, "GET", `/${ended[3]}/result`)).status).toBe(200);
  expect(await files(jobs)).toEqual([running, ended[3]!, ended[3]!].sort());
  await second.close();
  expect([...first.logged, ...second.logged]).toEqual([]);
  await rm(jobs, { recursive: true });
});

test("by time, with nobody asking", async () => {
  const jobs = await mkdtemp(join(tmpdir(), "residua-retention-"));
  const running = await start({ jobs, jobRetention: { seconds: 2 } });
  const { job_id: id } = await doneJob(running, short);
  expect((await ask(running, "GET", `/${id}/result`)).status).toBe(200);
  while ((await readdir(jobs)).length > 0) await sleep(100);
  expect((await ask(running, "GET", `/${id}`)).status).toBe(404);
  await running.close();
  expect(running.logged).toEqual([]);
  await rm(jobs, { recursive: true });
});
