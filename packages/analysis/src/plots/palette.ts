/**
 * Colours by role, after Okabe and Ito (told apart with every common colour blindness), darkened or lightened until text
 * in them keeps a contrast of 4.5 : 1 on its surface. Each light value is unique: the stylesheet finds it by value.
 */
export const palette = {
  surface: { light: "#fdfcf9", dark: "#17191d" },
  ink: { light: "#1c1e22", dark: "#e9e6df" },
  muted: { light: "#5c626c", dark: "#a3a9b3" },
  grid: { light: "#e5e2da", dark: "#2c3037" },
  blue: { light: "#0868ac", dark: "#63b4f0" },
  orange: { light: "#b84a00", dark: "#f5a15c" },
  green: { light: "#00735c", dark: "#4bc9a6" },
  purple: { light: "#8a3f8f", dark: "#d59ad8" },
  control: { light: "#737982", dark: "#959ca7" },
} as const;

export type ColorRole = keyof typeof palette;

/** The light value of a role: what a viewer without stylesheets (a word processor, an image converter) shows. */
export const color = Object.fromEntries(
  Object.entries(palette).map(([role, { light }]) => [role, light]),
) as Readonly<Record<ColorRole, string>>;

const roles = Object.keys(palette) as ColorRole[];

function variables(mode: "light" | "dark"): string {
  return roles.map((role) => `--rs-${role}:${palette[role][mode]}`).join(";");
}

/**
 * Custom properties `--rs-ROLE` for `scope`, which must be one simple selector: light, dark by the reader's system, dark or
 * light by the theme of JupyterLab and VS Code where they differ from the system, and always light on paper.
 */
export function paletteCss(scope: string): string {
  const [light, dark] = [variables("light"), variables("dark")];
  return [
    `${scope}{${light};color-scheme:light}`,
    `@media screen and (prefers-color-scheme:dark){${scope}{${dark};color-scheme:dark}}`,
    `[data-jp-theme-light=true] ${scope},body.vscode-light ${scope}{${light};color-scheme:light}`,
    `[data-jp-theme-light=false] ${scope},body.vscode-dark ${scope}{${dark};color-scheme:dark}`,
    `@media print{${scope}{${light};color-scheme:light}}`,
  ].join("\n");
}

/** Rules that point the literal colours inside `scope` (an SVG) at the custom properties, so that one SVG serves both modes. */
export function paletteAttributesCss(scope: string): string {
  return roles
    .flatMap((role) =>
      ["fill", "stroke"].map((name) => `${scope} [${name}="${color[role]}"]{${name}:var(--rs-${role})}`),
    )
    .join("\n");
}
