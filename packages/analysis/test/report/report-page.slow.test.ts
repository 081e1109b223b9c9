import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { renderComparison } from "../../src/report/comparison-page.ts";
import { renderReport } from "../../src/report/report.ts";
import { renderRun } from "../../src/report/run-report.ts";
import { sampleReport, sampleSweep } from "./report-sample.ts";
import { resultSamples } from "./result-samples.ts";
import { runOf } from "./run-sample.ts";
import { selfTest } from "./self-test-sample.ts";

const executable = process.env["RESIDUA_CHROMIUM"] ?? "/usr/bin/chromium";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const hostile = [
  `</script><script>window.harmed = true</script>`,
  `"><img src="https://example.org/x.png" onerror="window.harmed = true">`,
  `<svg onload="window.harmed = true"><style>@import url(https://example.org/x.css);</style>`,
  `javascript:window.harmed=true`,
  `${"\u202e"}מימין לשמאל${"\u2066"} 👩‍🚀🏳️‍🌈 ${"\ud800"}`,
  "x".repeat(10_000),
].join(" ");

/** A run with all that a page can show. */
const everything = (text?: string) => {
  const samples = Object.entries(resultSamples(text)).map(
    ([kind, result]) => [`${kind}.json`, result] as const,
  );
  const name = text?.slice(0, 120) ?? "Every kind";
  const files = {
    ...Object.fromEntries(samples),
    [`${name.replaceAll("/", "-")}.json`]: sampleSweep(),
    "selftest.json": selfTest(),
  };
  const run = runOf(files, name);
  run.skipped.push({ file: "cut.json", reason: text ?? "cut" });
  return run;
};

const compared = runOf({
  "sweep.json": sampleSweep(),
  "steer.json": resultSamples()["steering-evaluation"],
  "roc.json": resultSamples()["roc-curve"],
  "selftest.json": selfTest(),
});

const pages: Record<string, () => string> = {
  "of a first run": () => renderReport(sampleReport()),
  "of every kind of result": () => renderRun(everything()),
  "of hostile texts": () => renderRun(everything(hostile)),
  "of a comparison": () => renderComparison(compared, compared),
};

describe("a page in Chromium", () => {
  let browser: Browser | undefined;
  let folder = "";
  let site: Server;
  /** What reached the server, whatever the page asked for. */
  const reached: string[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "residua-pages-"));
    site = createServer((request, response) => {
      reached.push(request.url ?? "");
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(pages["of hostile texts"]!());
    }).listen(0, "127.0.0.1");
    if (existsSync(executable))
      browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser?.close();
    site.close();
    await rm(folder, { recursive: true, force: true });
  });

  let page: Page;
  let problems: string[];
  let requests: string[];
  beforeEach(async (context) => {
    if (!browser) return context.skip("Chromium is missing: apt-get install chromium");
    page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    problems = [];
    requests = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("request", (request) => requests.push(request.url()));
  });
  afterEach(async () => {
    await page?.close();
  });

  async function open(name: string): Promise<void> {
    const file = join(folder, `${name}.html`);
    await writeFile(file, pages[name]!());
    await page.goto(pathToFileURL(file).href);
  }

  /** Breaches of axe-core's rules, best practices included. */
  async function breaches(): Promise<string[]> {
    await page.evaluate(axe);
    return page.evaluate<string[]>(
      `axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html.slice(0, 300)))`,
    );
  }

  describe.each(Object.keys(pages))("%s", (name) => {
    it("logs nothing, asks for nothing, harms nothing", async () => {
      await open(name);
      await page.waitForTimeout(300);
      expect(problems).toEqual([]);
      expect(requests).toEqual([page.url()]);
      expect(await page.evaluate("window.harmed")).toBeUndefined();
      expect(await page.locator("#find").isVisible()).toBe(true);
    });

    it.each(["light", "dark"] as const)("has no breach of axe-core's rules, %s", async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await open(name);
      expect(await breaches()).toEqual([]);
    });

    it("is as wide as its window, on a phone too", async () => {
      for (const width of [1200, 600, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await open(name);
        expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
          width,
        );
      }
      expect(await breaches()).toEqual([]);
    });

    it("is whole without a script", async () => {
      const context = await browser!.newContext({ javaScriptEnabled: false });
      try {
        const still = await context.newPage();
        const file = join(folder, "still.html");
        await writeFile(file, pages[name]!());
        await still.goto(pathToFileURL(file).href);
        expect(await still.locator("#find").isVisible()).toBe(false);
        expect(await still.locator("main > section").count()).toBeGreaterThan(3);
        expect(await still.locator("thead button").count()).toBe(0);
      } finally {
        await context.close();
      }
    });
  });

  it("asks for nothing of a server that it came from either", async () => {
    const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/report.html`;
    await page.goto(address);
    await page.waitForTimeout(300);
    expect(problems).toEqual([]);
    expect(reached).toEqual(["/report.html"]);
  });

  it("lets no other script run, should one have come in", async () => {
    await open("of a first run");
    await page.evaluate(`(() => {
      const script = document.createElement("script");
      script.textContent = "window.harmed = true";
      document.body.append(script);
    })()`);
    expect(await page.evaluate("window.harmed")).toBeUndefined();
    expect(problems.join()).toContain("Content Security Policy");
  });

  describe("with the keyboard", () => {
    const focused = () =>
      page.evaluate<string>("document.activeElement.textContent.trim().replace(/\\\\s+/g, ' ')");
    const column = () =>
      page
        .locator("#reading table")
        .first()
        .locator("tbody tr")
        .evaluateAll((rows) => rows.map((row) => row.querySelectorAll("td")[0]?.dataset["v"]));

    it("reaches links, search and heads of columns in the order of the page, and shows where it is", async () => {
      await open("of a first run");
      const names: string[] = [];
      for (let i = 0; i < 14; i++) {
        await page.keyboard.press("Tab");
        names.push((await focused()) || (await page.evaluate<string>("document.activeElement.id")));
        const outline = await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle");
        expect(outline).not.toBe("none");
      }
      const contents = [
        "Captured",
        "Answers",
        "Reading",
        "Steering",
        "Tokens",
        "Limits",
        "Run again",
        "Settings",
        "Words",
        "Files",
      ];
      expect(names.slice(0, 10)).toEqual(contents);
      expect(names[10]).toBe("search");
      // The table of answers has one row: nothing to sort. Nor does any box scroll here, so that it would need a stop.
      expect(names[11]).toBe("Layer");
    });

    it("sorts by a column: up, down, and as it was", async () => {
      await open("of a first run");
      const first = await column();
      const head = page.locator("#reading thead th").nth(1);
      await head.locator("button").focus();
      await page.keyboard.press("Enter");
      const up = (await column()).map(Number);
      expect(up).toEqual(up.toSorted((a, b) => a - b));
      expect(up).not.toEqual(first.map(Number));
      expect(await head.getAttribute("aria-sort")).toBe("ascending");
      expect(await page.locator("#told").textContent()).toMatch(
        /^sorted by difference of means.*, ascending$/,
      );
      await page.keyboard.press("Space");
      expect((await column()).map(Number)).toEqual(up.toReversed());
      expect(await head.getAttribute("aria-sort")).toBe("descending");
      await page.keyboard.press("Enter");
      expect(await column()).toEqual(first);
      expect(await head.getAttribute("aria-sort")).toBeNull();
      expect(problems).toEqual([]);
    });

    it("searches all tables, counts what is found, and shows all again", async () => {
      await open("of every kind of result");
      const visible = () => page.locator("tbody tr:visible").count();
      const all = await visible();
      await page.locator("#search").focus();
      await page.keyboard.type("Bag of TOKENS");
      const rows = await visible();
      expect(rows).toBeGreaterThan(0);
      expect(rows).toBeLessThan(all / 5);
      expect(await page.locator("#find output").textContent()).toBe(`${rows} of ${all} rows`);
      expect(await breaches()).toEqual([]);
      await page.keyboard.press("Escape");
      expect(await visible()).toBe(all);
      expect(await page.locator("#find output").textContent()).toBe("");
    });

    it("prints every row, searched or not", async () => {
      await open("of every kind of result");
      const all = await page.locator("tbody tr").count();
      await page.locator("#search").fill("nothing has these words");
      expect(await page.locator("tbody tr:visible").count()).toBe(0);
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      expect(await page.locator("tbody tr:visible").count()).toBe(all);
      await page.evaluate("dispatchEvent(new Event('afterprint'))");
      expect(await page.locator("tbody tr:visible").count()).toBe(0);
    });
  });
});
