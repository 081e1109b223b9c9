import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@residua/client";
import { createLens } from "@residua/lens";
import { startServer } from "@residua/local-server";
import { modelFolder } from "@residua/tiny-model";
import { chromium, type Page } from "playwright-core";
import { startExplorer } from "../src/index.ts";
import { makeRun } from "./make-run.ts";

// Makes the pictures of the README: npx tsx --conditions=@residua/source tools/explorer/test/screenshots.ts [FOLDER]

const to = process.argv[2] ?? fileURLToPath(new URL("../docs/", import.meta.url));
const browser = process.env["RESIDUA_CHROMIUM"] ?? "/usr/bin/chromium";
const claim = "The city of Rome is in Asia. Verdict:";

const said = (page: Page, words: string) => page.locator("#status", { hasText: words }).waitFor();

const views: Record<string, (page: Page, url: string) => Promise<void>> = {
  async tokens(page, url) {
    await page.goto(`${url}tokens`);
    await page.getByLabel("Prompt").fill(claim);
    await page.getByLabel("Probe or direction").selectOption("mean:dataset:truth");
    await page.getByRole("button", { name: "Score the tokens" }).click();
    await said(page, "scored at layer 4.");
    await page.locator(".residua-tokens .t").nth(11).hover();
  },
  async steering(page, url) {
    await page.goto(`${url}steer`);
    await page.getByLabel("Prompt").fill(claim);
    await page.getByLabel("Direction").selectOption("direction:directions/truth.safetensors");
    await page.getByRole("button", { name: "Continue the prompt" }).click();
    await said(page, "Scale 0: both texts");
    await page.getByLabel("Scale", { exact: true }).fill("0.6");
    await said(page, "Steered at scale 0.6");
  },
  async damage(page, url) {
    await views["steering"]!(page, url);
    await page.getByLabel("Scale", { exact: true }).fill("20");
    await said(page, "Steered at scale 20");
  },
  async rows(page, url) {
    await page.goto(`${url}rows?dataset=dataset&column=split&value=heldOut&order=high`);
    await page.locator("table").waitFor();
  },
};

const work = await mkdtemp(join(tmpdir(), "residua-screenshots-"));
process.chdir(work);
const server = await startServer({ model: modelFolder });
const client = createClient({ baseURL: server.url, apiKey: "" });
const lens = createLens(client);
await makeRun(lens, "runs/cities", { statements: 120 });
const explorer = await startExplorer({ lens, model: "tiny", run: "runs/cities", serverName: "embedded" });
const chrome = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
try {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [name, show] of Object.entries(views)) {
      const page = await chrome.newPage({ colorScheme, viewport: { width: 1120, height: 720 } });
      await show(page, explorer.url);
      await page.screenshot({ path: join(to, `${name}-${colorScheme}.png`), fullPage: name !== "rows" });
      await page.close();
    }
  }
} finally {
  await chrome.close();
  await explorer.close();
  await client.close();
  await server.close();
  await rm(work, { recursive: true, force: true });
}
