/** Run by Deno: a figure's PNG on standard output. */
import { stdout } from "node:process";
import { color } from "../../src/plots/palette.ts";
import { svgFigure } from "../../src/plots/svg-figure.ts";

const body = `<rect x="20" y="0" width="40" height="40" fill="${color.green}"/>`;
const figure = svgFigure({
  title: "A square",
  caption: "One square.",
  alt: "A square.",
  width: 120,
  height: 40,
  body,
});
stdout.write(await figure.png({ theme: "dark" }));
