import { describe, expect, it } from "vitest";
import { levelFill, levelSteps, strongest } from "../../src/plots/level-color.ts";
import { color, palette, paletteAttributesCss, paletteCss, type ColorRole } from "../../src/plots/palette.ts";

const channels = (hex: string): number[] =>
  [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });

const dot = (row: number[], values: number[]): number =>
  row.reduce((sum, x, i) => sum + x * (values[i] ?? 0), 0);

/** WCAG 2 contrast. */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [a, b]
    .map((hex) => dot([0.2126, 0.7152, 0.0722], channels(hex)))
    .sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

/** Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB. */
const blindness = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function lab(linear: number[]): number[] {
  const xyz = [
    dot([0.4124, 0.3576, 0.1805], linear) / 0.9505,
    dot([0.2126, 0.7152, 0.0722], linear),
    dot([0.0193, 0.1192, 0.9505], linear) / 1.089,
  ].map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));
  const [x = 0, y = 0, z = 0] = xyz;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const modes = ["light", "dark"] as const;

describe("palette", () => {
  it("keeps every text colour readable on its surface, in both modes", () => {
    const texts: ColorRole[] = ["ink", "muted", "blue", "orange", "green", "purple"];
    for (const mode of modes) {
      for (const role of texts) {
        expect(contrast(palette[role][mode], palette.surface[mode]), `${role}, ${mode}`).toBeGreaterThan(4.5);
      }
    }
  });

  it("keeps numbers readable on the strongest step of a matrix's cells, in both modes", () => {
    const { fillOpacity } = levelFill(levelSteps, strongest.numbers);
    for (const mode of modes) {
      for (const role of ["blue", "orange"] as const) {
        const mixed = [1, 3, 5].map((at) => {
          const [over = 0, under = 0] = [palette[role][mode], palette.surface[mode]].map((hex) =>
            parseInt(hex.slice(at, at + 2), 16),
          );
          return Math.round(over * fillOpacity + under * (1 - fillOpacity));
        });
        const hex = `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
        expect(contrast(palette.ink[mode], hex), `${role}, ${mode}`).toBeGreaterThan(4.5);
      }
    }
  });

  it.each(Object.entries(blindness))("keeps blue, orange and the controls apart with %s", (_, matrix) => {
    const pairs: [ColorRole, ColorRole][] = [
      ["blue", "orange"],
      ["blue", "control"],
      ["orange", "control"],
    ];
    for (const mode of modes) {
      for (const pair of pairs) {
        const [a = [], b = []] = pair.map((role) =>
          lab(matrix.map((row) => Math.min(1, Math.max(0, dot(row, channels(palette[role][mode])))))),
        );
        expect(
          Math.hypot(...a.map((x, i) => x - (b[i] ?? 0))),
          `${pair.join(", ")}, ${mode}`,
        ).toBeGreaterThan(15);
      }
    }
  });

  it("has a light value of its own for each role, so that a stylesheet can find it", () => {
    expect(new Set(Object.values(color)).size).toBe(Object.keys(palette).length);
  });

  it("writes both modes, paper included, and points every literal colour at a variable", () => {
    expect(paletteCss(".x")).toContain(
      "@media screen and (prefers-color-scheme:dark){.x{--rs-surface:#17191d",
    );
    expect(paletteCss(".x")).toContain("@media print{.x{--rs-surface:#fdfcf9");
    expect(paletteAttributesCss(".x")).toContain('.x [stroke="#0868ac"]{stroke:var(--rs-blue)}');
  });
});
