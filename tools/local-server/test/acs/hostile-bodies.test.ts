import { readdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compressZstd } from "@residua/engine/api";
import { megabyte } from "../heap.ts";
import { answerTo, rawSocket, statuses } from "../raw-socket.ts";
import { deep, withField } from "./hostile-json.ts";
import { refused as refusal, start, tinyConfig, type Running } from "../support.ts";

const { hidden_size: hiddenSize, vocab_size: vocabulary } = tinyConfig;
let running: Running;
let jobs: string;
const refused = (body: unknown, code?: string) => refusal(running, body, code);
beforeAll(async () => {
  jobs = await mkdtemp(join(tmpdir(), "residua-hostile-"));
  running = await start({ jobs });
});
afterAll(async () => {
  await running.close();
  expect(running.logged).toEqual([]);
  await rm(jobs, { recursive: true });
});

describe("JSON", () => {
  test.each([
    "stream_options",
    "stop",
    "priority",
    "output_residual_stream",
    "apply_steering_vectors",
    "other",
  ])("deep in %s", async (field) => {
    await refused(withField(field, deep("[", "]", 200_000)));
    await refused(withField(field, `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`));
  });

  test.each([
    ["max_tokens", ["1e999", "-1e999", "9".repeat(400), "1e308", "2147483648", "4294967297", "1.5", "-0.5"]],
    ["n", ["1e999", "9".repeat(400), "1e15", "4294967297"]],
    ["seed", ["1e999", "9007199254740992", "9".repeat(400), "-1"]],
    ["temperature", ["1e999", "-1e999", "1e308"]],
    ["repetition_penalty", ["1e999", "-5e-324", "0"]],
    ["top_k", ["1e999", "-1e308"]],
    ["priority", ["1e999", "9".repeat(400), '"1e3"', '"0x10"', '"-1"', '" 7"']],
    [
      "prompt",
      [`[${vocabulary}]`, "[1e999]", "[4294967296]", "[-1]", "[1.5]", "[true]", `[[${vocabulary}]]`],
    ],
  ])("numbers that are no %s", async (field, values) => {
    for (const value of values) expect(await refused(withField(field, value))).toMatch(RegExp(`^${field}: `));
  });

  test("names that mean something to JavaScript are unknown fields", async () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", ""])
      expect(await refused(withField(name, '{"polluted":true}'))).toContain(`${name}: unknown field`);
    expect({}).not.toHaveProperty("polluted");
  });

  test("whatever stands in a field, the answer is a completion or a refusal that names what is wrong", async () => {
    const names = [
      ...["prompt", "max_tokens", "n", "temperature", "top_p", "top_k", "min_p", "seed", "stop", "stream"],
      ...["stream_options", "priority", "user", "echo", "logprobs", "prompt_logprobs", "presence_penalty"],
      ...["output_residual_stream", "apply_steering_vectors", "add_special_tokens", "model"],
    ];
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.integer().map((integer) => integer as unknown),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(fc.nat(2 * vocabulary)),
      fc.string({ unit: "binary" }),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 }), async (fields) => {
        const body = JSON.stringify({ model: "tiny", prompt: "a", max_tokens: 1, ...fields });
        const response = await fetch(`${running.server.url}/completions`, { method: "POST", body });
        expect([200, 400]).toContain(response.status);
        const text = await response.text();
        if (response.status === 400) expect(text).toMatch(/^\{"error":\{"message":"\w+.*: /);
      }),
      { numRuns: 300 },
    );
  });
});

describe("bombs", () => {
  const row = (frame: Uint8Array, shape = [1, hiddenSize]) => ({
    prompt: "a",
    max_tokens: 1,
    apply_steering_vectors: [
      {
        activations: {
          data: Buffer.from(frame).toString("base64"),
          dtype: "float32",
          shape,
          compression: "zstd",
        },
        layer_indices: [0],
      },
    ],
  });

  test("a frame of 256 MiB of zeros is refused by its header", async () => {
    const frame = compressZstd(new Uint8Array(256 * megabyte));
    expect(frame.length).toBeLessThan(64 * 1024);
    expect(await refused(row(frame))).toContain(
      `the data holds ${256 * megabyte} bytes; the shape takes 384`,
    );
    // So large a shape is over the limit before its data are looked at.
    expect(await refused(row(frame, [1, 64 * megabyte]))).toMatch(/hidden size is 96|over the 2097152/);
  });

  test("a frame that holds more than its header says is refused", async () => {
    const frame = compressZstd(new Uint8Array(64 * megabyte));
    // The content size of 4 bytes, little-endian, follows the descriptor (and a window byte, where there is one).
    const at = 5 + ((frame[4]! & 0x20) === 0 ? 1 : 0);
    expect(frame[4]! >> 6).toBe(2);
    new DataView(frame.buffer, frame.byteOffset).setUint32(at, 4 * hiddenSize, true);
    expect(await refused(row(frame))).toContain("damaged zstd frame");
  });

  test("a terabyte that is announced takes no memory", async () => {
    const frame = Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
    expect(await refused(row(frame))).toContain("the data holds 1099511627776 bytes");
  });

  test("a compressed body is not decompressed", async () => {
    const response = await fetch(`${running.server.url}/completions`, {
      method: "POST",
      headers: { "content-encoding": "gzip" },
      body: new Uint8Array(gzipSync(Buffer.alloc(64 * megabyte, 0x20))),
    });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: "bad_json" } }]);
  });
});

describe("no path of a request reaches the file system", () => {
  const up = [
    "../",
    "..%2f",
    "%2e%2e/",
    "..%5c",
    "....//",
    "%252e%252e%252f",
    "/",
    "%00",
    "..;/",
    "~/",
    "file:///",
  ];
  const names = ["etc/passwd", "etc%2fpasswd", "package.json", "job_0123456789abcdef.json", "config.json"];
  const paths = fc
    .tuple(
      fc.constantFrom("/v1/jobs/completions/", "/v1/models/", "/v1/", "/"),
      fc.array(fc.constantFrom(...up), { maxLength: 4 }),
      fc.constantFrom(...names),
      fc.constantFrom("", "/result", "/cancel", "/status", "%00", "?a=../b"),
    )
    .map(([base, steps, name, end]) => `${base}${steps.join("")}${name}${end}`);

  test("of job ids and model ids made of steps upwards, none is there, and nothing is made", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("GET", "DELETE", "POST"), paths, async (method, path) => {
        const sent = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
        const answer = await answerTo(rawSocket(running), sent);
        for (const status of statuses(answer)) expect([400, 404, 405]).toContain(status);
        expect(answer).not.toMatch(/root:|"private"|hidden_size"/);
      }),
      { numRuns: 300 },
    );
    expect(await readdir(jobs)).toEqual([]);
  });

  test("nor of a model or a user in a body", async () => {
    for (const model of ["../tiny", "/etc/passwd", "tiny/../tiny", "tiny\u0000", "__proto__"])
      await refused({ model, prompt: "a" }, "model_not_found");
    const job = { model: "tiny", prompt: "a", max_tokens: 1, user: "../../x" };
    await fetch(`${running.server.url}/jobs/completions`, { method: "POST", body: JSON.stringify(job) });
    for (const name of await readdir(jobs))
      expect(name).toMatch(/^job_[0-9a-f]{16}\.(result\.)?json(\.tmp)?$/);
  });
});
