import { existsSync } from "node:fs";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { palette } from "../../src/plots/palette.ts";
import { galleryFigures } from "./gallery-figures.ts";

const executablePath = process.env["RESIDUA_CHROMIUM"] ?? "/usr/bin/chromium";
const missing = existsSync(executablePath) ? false : "Chromium is missing: apt-get install chromium";

let browser: Browser | undefined;
beforeAll(async () => {
  if (missing === false) browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});
afterAll(() => browser?.close());

async function pageOf(context: TestContext, colorScheme: "light" | "dark"): Promise<Page> {
  if (browser === undefined) return context.skip(String(missing));
  return browser.newPage({ colorScheme });
}

const rgb = (hex: string): string =>
  `rgb(${[1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)).join(", ")})`;

/** Runs in the page: texts beyond their picture and pairs over each other, by the browser's own layout. */
function laidOut(): string[] {
  const faults: string[] = [];
  for (const figure of document.querySelectorAll("svg")) {
    const outer = figure.getBoundingClientRect();
    const boxes = [...figure.querySelectorAll("text")]
      .filter((text) => text.textContent.trim() !== "")
      .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
    for (const [index, { text, box }] of boxes.entries()) {
      if (
        box.left < outer.left - 0.5 ||
        box.right > outer.right + 0.5 ||
        box.top < outer.top - 1 ||
        box.bottom > outer.bottom + 1
      )
        faults.push(`cut off: ${text}`);
      for (const other of boxes.slice(index + 1)) {
        const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        // Boxes of lines reach beyond their letters: a third of one may lie in the other.
        const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (across > 1 && down > 0.34 * Math.min(box.height, other.box.height))
          faults.push(`over each other: ${text} | ${other.text}`);
      }
    }
  }
  return faults;
}

describe("in Chromium", () => {
  it.for([320, 640, 1000])("the gallery stands in its pictures at %i pixels", async (width, context) => {
    const page = await pageOf(context, "light");
    const svgs = galleryFigures.flatMap(({ draw, sample, others = [] }) =>
      [sample, ...others].map((result) => draw(result, { width }).svg),
    );
    await page.setContent(`<!doctype html><body>${svgs.join("\n")}`);
    expect(await page.locator("svg").count()).toBe(svgs.length);
    expect(await page.evaluate(laidOut)).toEqual([]);
    await page.close();
  });

  it.for(["light", "dark"] as const)(
    "one SVG has the colours of the %s theme, and asks for nothing",
    async (theme, context) => {
      const page = await pageOf(context, theme);
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      const figure = galleryFigures.find(({ name }) => name === "roc-curve");
      await page.setContent(`<!doctype html><body>${figure?.draw(figure.sample).svg ?? ""}`);
      const colours = await page.evaluate(() => ({
        surface: getComputedStyle(document.querySelector("svg > rect")!).fill,
        curve: getComputedStyle(document.querySelector("svg circle")!).fill,
        title: getComputedStyle(document.querySelector("svg > g > text")!).fill,
      }));
      expect(colours).toEqual({
        surface: rgb(palette.surface[theme]),
        curve: rgb(palette.blue[theme]),
        title: rgb(palette.ink[theme]),
      });
      expect(asked).toEqual([]);
      await page.close();
    },
  );
});
