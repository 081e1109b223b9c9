import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningExplorer, startExplorer } from "../src/index.ts";
import { makeWorld, type World } from "./support.ts";

const browser = process.env["RESIDUA_CHROMIUM"] ?? "/usr/bin/chromium";
const missing = existsSync(browser) ? "" : "Chromium is missing: apt-get install chromium";

let world: World;
let explorer: RunningExplorer;
let chrome: Browser;
beforeAll(async () => {
  if (missing !== "") return;
  world = await makeWorld();
  const { lens, run } = world;
  explorer = await startExplorer({ lens, model: "tiny", run, serverName: "embedded" });
  chrome = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
});
afterAll(async () => {
  await chrome?.close();
  await explorer?.close();
  await world?.close();
});

beforeEach((context) => {
  if (missing !== "") context.skip(missing);
});

/** What went wrong on the pages of a test, and where they asked for anything. */
let problems: string[] = [];
let hosts = new Set<string>();
afterEach(() => {
  const seen = { problems, hosts: [...hosts] };
  [problems, hosts] = [[], new Set()];
  if (missing === "" && seen.hosts.length > 0) {
    expect(seen).toEqual({ problems: [], hosts: [new URL(explorer.url).host] });
  }
});

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await chrome.newPage(options);
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (said) => problems.push(`${said.type()}: ${said.text()}`));
  page.on("request", (asked) => asked.url().startsWith("data:") || hosts.add(new URL(asked.url()).host));
  await page.goto(new URL(path, explorer.url).href);
  return page;
}

const claim = "The city of Rome is in Asia. Verdict:";
const status = (page: Page) => page.locator("#status");
const said = async (page: Page, words: string) => {
  await expect.poll(() => page.locator("#status").innerText(), { timeout: 20_000 }).toContain(words);
};

async function scored(page: Page): Promise<void> {
  await page.getByLabel("Prompt").fill(claim);
  await page.getByRole("button", { name: "Score the tokens" }).click();
  await said(page, "12 tokens scored at layer 4.");
}

async function steered(page: Page): Promise<void> {
  await page.getByLabel("Prompt").fill(claim);
  await page.getByLabel("Direction").selectOption("direction:directions/truth.safetensors");
  await page.getByRole("button", { name: "Continue the prompt" }).click();
  await said(page, "Scale 0: both texts");
}

describe("tokens", () => {
  test("a prompt is scored without leaving the page, and another layer without another capture", async () => {
    const page = await open("tokens");
    await scored(page);
    expect(await page.locator(".residua-tokens [role=listitem]").count()).toBe(13);
    const first = await page.locator(".residua-tokens").innerText();
    const { generatedTokens } = world.model.stats();
    await page.locator("[name=layer]").selectOption("3");
    await said(page, "12 tokens scored at layer 3.");
    expect(await page.locator(".residua-tokens").innerText()).not.toBe(first);
    expect(world.model.stats().generatedTokens).toBe(generatedTokens);
  });

  test("a scorer offers its own layers", async () => {
    const page = await open("tokens");
    const enabled = () => page.locator("[name=layer] option:not([disabled])").allInnerTexts();
    expect(await enabled()).toEqual(["3", "4"]);
    await page.getByLabel("Probe or direction").selectOption("mean:dataset:truth");
    expect(await enabled()).toEqual(["0", "1", "2", "3", "4", "5"]);
    await page.locator("[name=layer]").selectOption("0");
    await page.getByLabel("Probe or direction").selectOption("direction:directions/truth.safetensors");
    expect([await enabled(), await page.locator("[name=layer]").inputValue()]).toEqual([["4"], "4"]);
  });

  test("generated tokens are scored too", async () => {
    const page = await open("tokens");
    await page.getByLabel("Prompt").fill("The city of");
    await page.getByLabel("Tokens to generate").fill("5");
    await page.getByRole("button", { name: "Score the tokens" }).click();
    await said(page, "8 tokens scored at layer 4.");
    expect(await page.locator(".residua-tokens .g").count()).toBe(5);
  });

  test("an error stands where the result was, with what to do", async () => {
    const page = await open("tokens");
    await scored(page);
    await page.getByLabel("Prompt").fill("many words ".repeat(900));
    await page.getByRole("button", { name: "Score the tokens" }).click();
    await said(page, "The server refuses this.");
    expect(await page.locator("#result .problem p").first().innerText()).toContain("tokens");
    expect(await page.locator("#result .residua-tokens").count()).toBe(0);
    // The browser itself notes an answer that is an error.
    problems = problems.filter((text) => !text.includes("422"));
  });

  test("a hostile prompt does nothing", async () => {
    const page = await open("tokens");
    const hostile =
      "</textarea><img src=x onerror='document.title=1'><script>document.title=2</script>\u202e\u0007";
    await page.getByLabel("Prompt").fill(hostile);
    await page.getByRole("button", { name: "Score the tokens" }).click();
    await said(page, "tokens scored at layer 4.");
    await page.getByRole("button", { name: "Steer this prompt" }).click();
    await page.locator("pre.text").first().waitFor();
    expect(await page.title()).toBe("Steered beside plain – Residua explorer");
    expect(await page.locator("#result img, #result script").count()).toBe(0);
    expect(await page.getByLabel("Prompt").inputValue()).toBe(hostile);
  });
});

describe("steering", () => {
  test("dragging the scale changes the steered text and leaves the plain one", async () => {
    const page = await open("steer");
    await steered(page);
    const texts = () => page.locator("pre.text").allInnerTexts();
    const [plain] = await texts();
    expect(plain).toContain("false");
    const slider = page.getByLabel("Scale, to drag");
    const box = (await slider.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    for (let step = 1; step <= 20; step++) {
      await page.mouse.move(box.x + box.width * (0.5 + 0.02 * step), box.y + box.height / 2);
    }
    await page.mouse.up();
    const scale = await page.getByLabel("Scale", { exact: true }).inputValue();
    expect(Number(scale)).toBeGreaterThan(1);
    await said(page, `Steered at scale ${scale}`);
    const [same, other] = await texts();
    expect(same).toBe(plain);
    expect(other).toContain("true");
    expect(await page.locator("mark").allInnerTexts()).not.toEqual([]);
  });

  test("a scale that was passed over is not generated to its end", async () => {
    const page = await open("steer");
    await steered(page);
    const generated = () => world.model.stats().generatedTokens;
    await page.getByLabel("Tokens to generate").fill("400");
    const number = page.getByLabel("Scale", { exact: true });
    const before = generated();
    // At such scales the model says one word to the end of what it may.
    for (const scale of ["20", "21", "22"]) {
      const start = generated();
      await number.fill(scale);
      while (generated() < start + 8) await sleep(2);
    }
    await number.fill("0.1");
    await said(page, "Steered at scale 0.1");
    while (world.model.stats().active > 0) await sleep(5);
    expect(generated() - before).toBeLessThan(1000);
    expect(await page.locator("#result").getAttribute("aria-busy")).toBeNull();
  });

  test("an older answer never takes the place of a newer one", async () => {
    const page = await open("steer");
    await steered(page);
    const number = page.getByLabel("Scale", { exact: true });
    for (let i = 1; i <= 12; i++) {
      await number.fill(String(i / 4));
      await sleep(i % 3 === 0 ? 160 : 20);
    }
    await said(page, "Steered at scale 3");
    await sleep(400);
    expect(await status(page).innerText()).toContain("Steered at scale 3");
    expect(await page.locator("article h2 small").last().innerText()).toContain("scale 3,");
  });

  test("a large scale is called damage", async () => {
    const page = await open("steer");
    await steered(page);
    await page.getByLabel("Scale", { exact: true }).fill("20");
    await said(page, "Steered at scale 20: ");
    const hints = (await page.locator(".hints .damage").allInnerTexts()).join("\n");
    expect(hints).toContain("The steered text repeats itself");
    expect(hints).toContain("times as long as the stream");
  });

  test("the slider reaches as far as the stream is long, and a step with the keyboard steers", async () => {
    const page = await open("steer");
    await steered(page);
    const slider = page.getByLabel("Scale, to drag");
    const most = Number(await slider.getAttribute("max"));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThan(4);
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await said(page, "Steered at scale 0.2");
    await page.getByLabel("Counted in").selectOption("stream");
    await said(page, "Steered at scale 0.2");
    expect(await slider.getAttribute("max")).toBe("1");
  });
});

describe("rows", () => {
  test("are filtered and sorted, and the address keeps what was asked", async () => {
    const page = await open("rows");
    expect(await page.locator("tbody tr").count()).toBe(40);
    await page.getByLabel("Column").selectOption("truth");
    await page.getByLabel("Value").fill("false");
    await page.getByLabel("Order").selectOption("low");
    await said(page, "rows, page 1 of 1.");
    await page.locator("#result h2", { hasText: "truth is false, lowest score first" }).waitFor();
    const shown = await page.locator("tbody tr td.score").allInnerTexts();
    const scores = shown.map((text) => Number(text.replace("−", "-").replace(/[^\d.-]/g, "")));
    expect(scores.length).toBeGreaterThan(5);
    expect(scores).toEqual([...scores].sort((a, b) => a - b));
    expect(new Set(await page.locator("tbody tr td:nth-child(7)").allInnerTexts())).toEqual(
      new Set(["false"]),
    );
    expect(new URL(page.url()).searchParams.get("value")).toBe("false");
    await page.reload();
    expect(await page.locator("tbody tr td.score").allInnerTexts()).toEqual(shown);
  });

  test("have pages", async () => {
    const page = await open("rows?dataset=tokens&order=high");
    await page.getByRole("link", { name: "next →" }).click();
    await page.locator(".pager", { hasText: "page 2 of" }).waitFor();
    expect(new URL(page.url()).searchParams.get("order")).toBe("high");
  });

  test("lead to their example, and its prompt to its tokens", async () => {
    const page = await open("rows?order=high");
    await page.locator("tbody a").first().click();
    const prompt = await page.locator("pre.text").innerText();
    expect(prompt).toMatch(/^The city of .*Verdict:$/);
    const kept = await page.locator("td.score").innerText();
    await page.getByRole("button", { name: "Score its tokens" }).click();
    expect(await page.getByLabel("Prompt").inputValue()).toBe(prompt);
    // The row of the dataset and the model's own are one.
    const last = await page.locator(".residua-tokens .t:not(.g)").last().getAttribute("data-tip");
    expect(last).toContain(`score ${kept.replace(/[^\d.−]/g, "")}`);
  });

  test("of a whole prompt are shown as its tokens", async () => {
    const page = await open("rows?dataset=tokens");
    await page.locator("tbody a").first().click();
    expect(await page.locator(".residua-tokens [role=listitem]").count()).toBeGreaterThan(8);
  });
});

describe("every view", () => {
  const views: [string, (page: Page) => Promise<void>][] = [
    ["tokens", scored],
    ["steer", steered],
    ["rows?order=high", async (page) => void (await page.locator("table").waitFor())],
    ["rows?column=city", async (page) => void (await page.locator(".problem").waitFor())],
    [
      "example?dataset=tokens&id=Tacna%2C%20true",
      async (page) => void (await page.locator("table").waitFor()),
    ],
  ];
  test.each(views)(
    "%s is accessible in light and dark, wide and narrow",
    { timeout: 240_000 },
    async (path, use) => {
      for (const colorScheme of ["light", "dark"] as const) {
        for (const width of [1180, 390]) {
          const page = await open(path, { colorScheme, viewport: { width, height: 800 } });
          await use(page);
          for (const details of await page.locator("details").all())
            await details.evaluate((one) => one.setAttribute("open", ""));
          await page.evaluate(axe.source);
          const found = await page.evaluate(async () => {
            const { axe } = globalThis as unknown as {
              axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
            };
            const { violations } = await axe.run();
            return violations.map(
              ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`,
            );
          });
          expect(found).toEqual([]);
          const wide = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          expect(wide).toBe(0);
          await page.close();
        }
      }
      problems = problems.filter((text) => !text.includes("422"));
    },
  );

  test("works by keyboard alone", async () => {
    const page = await open("tokens");
    const at = () =>
      page.evaluate(
        () => document.activeElement?.getAttribute("name") ?? document.activeElement?.textContent?.trim(),
      );
    const order: (string | undefined)[] = [];
    for (let i = 0; i < 9; i++) {
      await page.keyboard.press("Tab");
      order.push((await at()) ?? undefined);
    }
    expect(order).toEqual([
      "Tokens",
      "Steering",
      "Rows",
      "prompt",
      "scorer",
      "layer",
      "generated",
      "Score the tokens",
      "Steer this prompt",
    ]);
    await page.getByLabel("Prompt").focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type(claim);
    await page.keyboard.press("Control+Enter");
    await said(page, "12 tokens scored");
    await page.locator(".residua-tokens .t").first().focus();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-tip"))).toContain(
      "position 1",
    );
  });

  test("works without its script", async () => {
    const page = await open("tokens", { javaScriptEnabled: false });
    await page.getByLabel("Prompt").fill(claim);
    await page.getByRole("button", { name: "Score the tokens" }).click();
    expect(await page.locator(".residua-tokens [role=listitem]").count()).toBe(13);
    await page.getByRole("button", { name: "Steer this prompt" }).click();
    await page.getByLabel("Scale", { exact: true }).fill("1");
    await page.getByRole("button", { name: "Continue the prompt" }).click();
    expect(await page.locator("pre.text").count()).toBe(2);
    await page.getByRole("link", { name: "Rows" }).click();
    await page.getByLabel("Column").selectOption("continent");
    await page.getByLabel("Value").fill("Asia");
    await page.getByRole("button", { name: "Show the rows" }).click();
    expect(await page.locator("#result h2").innerText()).toContain("continent is Asia");
  });
});

describe("a page of another site", () => {
  test("can neither read nor post", async () => {
    const page = await chrome.newPage();
    await page.route("http://other.example/", (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>other</title>" }),
    );
    await page.goto("http://other.example/");
    const before = world.model.stats().generatedTokens;
    const outcome = await page.evaluate(async (url) => {
      const tries = [
        fetch(`${url}steer`, {
          method: "POST",
          body: new URLSearchParams({ prompt: "a" }),
          mode: "no-cors",
        }).then(({ type }) => type),
        fetch(`${url}rows`).then(({ status }) => String(status)),
      ];
      return (await Promise.allSettled(tries)).map((one) =>
        one.status === "fulfilled" ? one.value : "refused",
      );
    }, explorer.url);
    expect(outcome[1]).toBe("refused");
    await sleep(100);
    expect(world.model.stats().generatedTokens).toBe(before);
    await page.close();
  });
});
