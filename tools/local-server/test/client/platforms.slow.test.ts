import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "vite";
import { serve, tinyConfig } from "../support.ts";
import { trial } from "./trial.ts";

const run = promisify(execFile);
const key = "key-of-the-trial";
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const deno = here("../../../../node_modules/.bin/deno");
const browser = process.env["RESIDUA_CHROMIUM"] ?? "/usr/bin/chromium";

const running = serve({ apiKey: key });
let expected: Awaited<ReturnType<typeof trial>>;
beforeAll(async () => {
  expected = await trial(running.server.url, key);
});

/** Runs the trial and looks at what the server generated for it: two texts of 900 tokens were left early. */
async function tried(where: () => Promise<unknown>): Promise<unknown> {
  const before = running.model.stats().generatedTokens;
  const result = await where();
  while (running.model.stats().active > 0) await sleep(5);
  expect(running.model.stats().generatedTokens - before).toBeLessThan(900);
  return result;
}

test("in Node the trial gives what it should", async () => {
  const result = await tried(() => trial(running.server.url, key));
  expect(result).toEqual(expected);
  expect(result).toMatchObject({
    streamed: expected.texts,
    taken: 3,
    aborted: { code: "aborted", name: "APIAbortError" },
    unknown: { code: "model_not_found", name: "APIError" },
    refused: { code: "invalid_request" },
    denied: { code: "invalid_api_key" },
    unreachable: { code: "connection_error", name: "APIConnectionError" },
    layers: { value: tinyConfig.num_hidden_layers, source: "catalogue" },
  });
  expect(expected.texts.every((text) => text.length > 0)).toBe(true);
});

test("in Deno it gives the same", async () => {
  const result = await tried(async () => {
    const { stdout } = await run(deno, ["run", "-A", here("deno-trial.ts"), running.server.url, key], {
      env: { ...process.env, DENO_CONDITIONS: "@residua/source", DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    });
    return JSON.parse(stdout) as unknown;
  });
  expect(result).toEqual(expected);
});

describe("on a page of another origin", () => {
  let scratch: string;
  let bundle: string;
  let site: Server;
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), "residua-page-"));
    await build({
      configFile: false,
      logLevel: "warn",
      resolve: { conditions: ["@residua/source", "browser", "import", "module", "default"] },
      build: {
        outDir: scratch,
        emptyOutDir: false,
        minify: false,
        target: "es2022",
        rollupOptions: {
          input: here("page-trial.ts"),
          output: { entryFileNames: "page.js", codeSplitting: false },
        },
      },
    });
    bundle = readFileSync(join(scratch, "page.js"), "utf8");
    site = createServer((request, response) => {
      const script = request.url === "/page.js";
      response.writeHead(200, { "content-type": script ? "text/javascript" : "text/html" });
      response.end(script ? bundle : `<!doctype html><script type="module" src="/page.js"></script>`);
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    site.closeAllConnections();
    await new Promise((resolve) => site.close(resolve));
    await rm(scratch, { recursive: true, force: true });
  });

  test("the bundle holds nothing of Node's", () => {
    expect(bundle.includes("nothing was sent")).toBe(true);
    expect(bundle.match(/undici|node:\w+|\bBuffer\b|\brequire\(|process\.env/g)).toBeNull();
  });

  test("it gives the same in Chromium", async (context) => {
    if (!existsSync(browser)) context.skip("Chromium is missing: apt-get install chromium");
    const chrome = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
    try {
      const page = await chrome.newPage();
      const problems: string[] = [];
      page.on("pageerror", ({ message }) => problems.push(message));
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
      await page.waitForFunction("typeof trial === 'function'");
      const asked = `trial(${JSON.stringify(running.server.url)}, ${JSON.stringify(key)})`;
      expect(await tried(() => page.evaluate(asked))).toEqual(expected);
      expect(problems).toEqual([]);
    } finally {
      await chrome.close();
    }
  });
});
