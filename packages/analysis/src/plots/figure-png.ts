import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Resvg, initWasm } from "@resvg/resvg-wasm";
import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { color, palette, type ColorRole } from "./palette.ts";

export interface PngOptions {
  /** Pixels of the picture for each pixel of the figure: 2 by default, sharp on paper and on dense screens. From 0.1 to 8. */
  scale?: number;
  /** `"light"` by default. */
  theme?: "light" | "dark";
  /**
   * Bytes of TrueType or OpenType fonts beside DejaVu Sans, which has Latin, Greek, Cyrillic, Arabic, Hebrew, mathematics and arrows: for
   * texts in Chinese, Japanese, Korean or emoji. A character that no font has is an empty box.
   */
  fonts?: readonly Uint8Array[];
}

const pngOptions = z.strictObject({
  scale: z.number().min(0.1).max(8).default(2),
  theme: z.enum(["light", "dark"]).default("light"),
  fonts: z.array(z.instanceof(Uint8Array)).default([]),
});

const require = createRequire(import.meta.url);

/** The module and the fonts, read when the first picture is drawn. */
let loaded: Promise<Uint8Array[]> | undefined;

async function load(): Promise<Uint8Array[]> {
  await initWasm(await readFile(require.resolve("@resvg/resvg-wasm/index_bg.wasm")));
  const names = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"];
  return Promise.all(names.map((name) => readFile(require.resolve(`dejavu-fonts-ttf/ttf/${name}`))));
}

/** The SVG with plain colours of one theme: the drawing program knows no custom properties. */
export function svgInTheme(svg: string, theme: "light" | "dark"): string {
  const roles = new Map(Object.entries(color).map(([role, value]) => [value, role as ColorRole]));
  // Text cannot be mistaken for an attribute: its quotation marks are escaped.
  return svg
    .replace(/<style>[^<]*<\/style>/g, "")
    .replace(/(fill|stroke)="(#[\da-f]{6})"/g, (whole, name, value) => {
      const role = roles.get(value as string);
      return role === undefined ? whole : `${name as string}="${palette[role][theme]}"`;
    });
}

/** Draws a figure's SVG as a PNG with resvg, the same bytes on every machine. Throws InvalidRequestError for options that are none. */
export async function figurePng(svg: string, options: PngOptions = {}): Promise<Uint8Array> {
  const { scale, theme, fonts } = checkOptions(pngOptions, options, "png");
  loaded ??= load();
  const own = await loaded;
  const resvg = new Resvg(svgInTheme(svg, theme), {
    fitTo: { mode: "zoom", value: scale },
    font: {
      fontBuffers: [...own, ...fonts],
      sansSerifFamily: "DejaVu Sans",
      defaultFontFamily: "DejaVu Sans",
    },
  });
  try {
    const image = resvg.render();
    try {
      return image.asPng();
    } finally {
      image.free();
    }
  } finally {
    resvg.free();
  }
}
