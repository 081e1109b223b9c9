import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { svgInTheme } from "../../src/plots/figure-png.ts";
import { color, palette } from "../../src/plots/palette.ts";
import { savePng } from "../../src/plots/save-png.ts";
import { svgFigure, type Figure } from "../../src/plots/svg-figure.ts";
import { svgText } from "../../src/plots/svg-text.ts";
import { pngPixels } from "./png-pixels.ts";

const figure = (body: string, title = "A square"): Figure =>
  svgFigure({ title, caption: "One square.", alt: "A square.", width: 120, height: 40, body });
const square = (fill: string): Figure => figure(`<rect x="20" y="0" width="40" height="40" fill="${fill}"/>`);
const rgb = (hex: string): number[] => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** Inside the square: padding 14, a title of one line (34), and the square's own place. */
const inside = [14 + 40, 14 + 34 + 20] as const;

describe("png", () => {
  it.each(["light", "dark"] as const)("has the colours of the %s theme on its surface", async (theme) => {
    const picture = pngPixels(await square(color.blue).png({ theme, scale: 1 }));
    expect([picture.width, picture.height]).toEqual([148, 117]);
    expect(picture.at(...inside)).toEqual(rgb(palette.blue[theme]));
    expect(picture.at(140, 60)).toEqual(rgb(palette.surface[theme]));
  });

  it("is light and twice the size unless asked otherwise, and the same bytes every time", async () => {
    const [one, two] = [await square(color.blue).png(), await square(color.blue).png()];
    expect(Buffer.compare(one, two)).toBe(0);
    const picture = pngPixels(one);
    expect([picture.width, picture.height]).toEqual([296, 234]);
    expect(picture.at(2 * inside[0], 2 * inside[1])).toEqual(rgb(palette.blue.light));
  });

  it("draws text in the package's own fonts, bold where it is bold", async () => {
    const dark = async (weight: 400 | 600): Promise<number> => {
      const text = svgText("Hamburg", 0, 30, { size: 20, weight, fill: color.ink });
      return pngPixels(await figure(text, " ").png({ scale: 1 })).count(([red = 255]) => red < 128);
    };
    const [plain, bold] = [await dark(400), await dark(600)];
    expect(plain).toBeGreaterThan(150);
    expect(bold).toBeGreaterThan(1.2 * plain);
  });

  it("draws characters that DejaVu has, Hebrew and mathematics among them, as more than a box", async () => {
    const drawn = async (text: string): Promise<string> =>
      Buffer.from(await figure(svgText(text, 0, 30, { size: 20 }), " ").png({ scale: 1 })).toString("base64");
    const box = await drawn("\u{10ffff}");
    for (const known of ["ש", "∑", "Д", "↵"]) expect(await drawn(known)).not.toBe(box);
  });

  it("refuses options that are none, by name", async () => {
    await expect(square(color.blue).png({ scale: 0 })).rejects.toThrow(/scale.*0.*at least 0\.1/);
    await expect(square(color.blue).png({ theme: "blue" as "dark" })).rejects.toThrow(/"light", "dark"/);
    await expect(square(color.blue).png({ colour: 1 } as object)).rejects.toThrow(/colour/);
  });

  it("is written whole to a file, under a name that is free or not", async () => {
    const folder = await mkdtemp(join(tmpdir(), "residua-png-"));
    try {
      const path = join(folder, "square.png");
      await savePng(square(color.blue), path);
      await savePng(square(color.orange), path, { scale: 1 });
      expect(pngPixels(await readFile(path)).at(...inside)).toEqual(rgb(palette.orange.light));
      await expect(savePng(square(color.blue), join(folder, "none", "square.png"))).rejects.toThrow(/none/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("comes out of Deno with the same bytes", async () => {
    const here = await square(color.green).png({ theme: "dark" });
    const child = fileURLToPath(new URL("deno-png.ts", import.meta.url));
    const { stdout } = await promisify(execFile)("npx", ["deno", "run", "-A", "--quiet", child], {
      env: { ...process.env, DENO_CONDITIONS: "@residua/source" },
      encoding: "buffer",
    });
    expect(Buffer.compare(stdout, here)).toBe(0);
  });
});

describe("svgInTheme", () => {
  it("leaves text alone that looks like an attribute", () => {
    const text = svgText(`fill="${color.blue}"`, 0, 0);
    expect(svgInTheme(text, "dark")).toBe(text);
  });
});
