import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as plots from "../../src/plots/index.ts";
import { pngPixels } from "./png-pixels.ts";

const run = promisify(execFile);
const package_ = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(package_, "docs/plots.md"), "utf8");

let folder = "";
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "residua-plots-page-"))));
afterAll(() => rm(folder, { recursive: true }));

describe("docs/plots.md", () => {
  it("shows every picture of the gallery once, in words too, and no other", () => {
    const shown = [...page.matchAll(/!\[([^\]]{30,})\]\(\.\.\/test\/plots\/gallery\/([^)]+)\)/g)].map(
      ([, , file]) => file,
    );
    expect(shown.toSorted()).toEqual(readdirSync(join(package_, "test/plots/gallery")).sort());
  });

  it("names every plot, and none that is not exported", () => {
    const named = new Set([...page.matchAll(/`((?:plot[A-Z]\w*|token\w*Strip))\(/g)].map(([, name]) => name));
    const exported = Object.keys(plots).filter((name) => /^plot[A-Z]|Strip$/.test(name));
    expect([...named].toSorted()).toEqual(exported.toSorted());
  });

  it(
    "has code that runs by the package's names, with the same picture in Node and in Deno",
    { timeout: 300_000 },
    async () => {
      const [, code = ""] = /```ts\n([^]*?)```/.exec(page) ?? [];
      const program = (path: string): string =>
        `${code.replace('"cosines.png"', JSON.stringify(path))}\nconsole.log(figure.caption);`;
      const [node, deno] = [join(folder, "node.png"), join(folder, "deno.png")];
      const tsx = fileURLToPath(import.meta.resolve("tsx/cli"));
      const one = await run(
        process.execPath,
        [tsx, "--conditions=@residua/source", "--input-type=module", "--eval", program(node)],
        { cwd: package_ },
      );
      const two = await run("npx", ["deno", "eval", "--ext=ts", program(deno)], {
        cwd: package_,
        env: { ...process.env, DENO_CONDITIONS: "@residua/source" },
      });
      expect(one.stdout).toMatch(/^n = 2 directions of 3 numbers\. Of two random directions/);
      expect(two.stdout).toBe(one.stdout);
      const [first, second] = [await readFile(node), await readFile(deno)];
      expect(Buffer.compare(first, second)).toBe(0);
      expect(pngPixels(first).width).toBe(3 * 668);
    },
  );
});
