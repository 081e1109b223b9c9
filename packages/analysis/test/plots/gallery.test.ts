import { readdir } from "node:fs/promises";
import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { jupyterDisplay } from "../../src/plots/svg-figure.ts";
import { resultKinds, type ResultKind } from "../../src/results/result-kinds.ts";
import { galleryFigures } from "./gallery-figures.ts";
import { textFaults } from "./text-boxes.ts";

const widths = [320, 640, 1000];
const hostile = `</title></svg><script>alert(1)</script><img src=x onerror=alert(1)>"'&\u202e\u0000 👩‍🚀 https://example.org ${"x".repeat(10_000)}`;

/** Every text of a result but those that are one of a few words, replaced. */
function withHostileTexts(kind: ResultKind, result: unknown): unknown {
  const { schema } = resultKinds[kind];
  const change = (value: unknown): unknown => {
    if (typeof value === "string") return `${value} ${hostile}`;
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));
  };
  const changed = change(result);
  const issues = schema.safeParse(changed).error?.issues ?? [];
  for (const { path } of issues) copyBack(result, changed, path);
  return schema.parse(changed);
}

function copyBack(from: unknown, to: unknown, path: readonly PropertyKey[]): void {
  const at = (whole: unknown, keys: readonly PropertyKey[]): Record<PropertyKey, unknown> =>
    keys.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown>)[key], whole) as Record<
      PropertyKey,
      unknown
    >;
  const last = path.at(-1) ?? "";
  at(to, path.slice(0, -1))[last] = at(from, path.slice(0, -1))[last];
}

describe.each(galleryFigures)("$name", ({ name, sample, draw, others = [] }) => {
  const kind = sample.kind as ResultKind;

  it("draws the gallery picture, the same bytes every time", async () => {
    expect(draw(sample).svg).toBe(draw(sample).svg);
    await expect(`${draw(sample).svg}\n`).toMatchFileSnapshot(`./gallery/${name}.svg`);
  });

  it("is drawn of valid documents", () => {
    for (const result of [sample, ...others])
      expect(resultKinds[kind].schema.safeParse(result).error?.issues ?? []).toEqual([]);
  });

  it.each(widths)("cuts nothing off and lays no text over another at %i pixels", (width) => {
    for (const result of [sample, ...others]) {
      const { svg } = draw(result, { width });
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
      expect(textFaults(svg)).toEqual([]);
      expect(svg.length).toBeLessThan(400_000);
    }
  });

  it("says in words what it shows, with n", () => {
    const { title, caption, alt, svg } = draw(sample);
    expect(caption).toMatch(/n = \d/);
    expect(alt.length).toBeGreaterThan(60);
    for (const text of [title, caption, alt]) expect(text).not.toMatch(/NaN|undefined|null/);
    const root = parseHTML(`<!doctype html><html><body>${svg}</body></html>`).document.querySelector("svg");
    expect(root?.getAttribute("role")).toBe("img");
    expect(root?.getAttribute("aria-label")).toBe(alt);
    expect(root?.querySelector("title")?.textContent).toBe(title);
  });

  it("shows itself in a notebook", () => {
    const figure = draw(sample);
    expect(Object.keys(figure[jupyterDisplay]())).toEqual(["image/svg+xml", "text/html", "text/plain"]);
    expect(figure.inline()).not.toMatch(/http|<style/);
  });

  it("lets no text break out, reorder, name an address or leave its place", () => {
    for (const width of widths) {
      const { svg } = draw(withHostileTexts(kind, sample), { width });
      const { document } = parseHTML(`<!doctype html><html><body>${svg}</body></html>`);
      expect(document.querySelectorAll("script, img, a, foreignObject")).toHaveLength(0);
      expect(document.body.children).toHaveLength(1);
      expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/\/\/|[\u0000-\u0008\u202e]/);
      expect(textFaults(svg)).toEqual([]);
    }
  });

  it("refuses what is no such document, and options that are none, in words", () => {
    const other = kind === "roc-curve" ? "direction" : "roc-curve";
    expect(() => draw({ kind: other })).toThrow(new RegExp(`result\\.kind.*"${other}".*"${kind}"`));
    expect(() => draw(null)).toThrow(/result/);
    expect(() => draw({ ...sample, schemaVersion: 99 })).toThrow(/result\.schemaVersion.*99/);
    expect(() => draw(sample, { width: 20 })).toThrow(/width.*20.*at least 280/);
    expect(() => draw(sample, { widht: 500 } as object)).toThrow(/widht/);
  });
});

describe("the gallery", () => {
  it("has no picture that is not drawn", async () => {
    const files = (await readdir(new URL("./gallery", import.meta.url))).sort();
    expect(files).toEqual(galleryFigures.map(({ name }) => `${name}.svg`).sort());
  });
});
