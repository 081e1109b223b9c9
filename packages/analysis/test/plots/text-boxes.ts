import { parseHTML } from "linkedom";
import { textWidth } from "../../src/plots/svg-text.ts";

interface TextBox {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** x′ = a·x + c·y + e, y′ = b·x + d·y + f. */
type Matrix = readonly [number, number, number, number, number, number];

function times([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function transform(value: string): Matrix {
  let matrix: Matrix = [1, 0, 0, 1, 0, 0];
  for (const [, name, given = ""] of value.matchAll(/(\w+)\(([^)]*)\)/g)) {
    const [x = 0, y = 0] = given.split(/[\s,]+/).map(Number);
    if (name === "translate") matrix = times(matrix, [1, 0, 0, 1, x, y]);
    else if (name === "rotate" && x === -90) matrix = times(matrix, [0, -1, 1, 0, 0, 0]);
    else throw new Error(`the test knows no ${name}(${given})`);
  }
  return matrix;
}

/** An attribute of an element or of the nearest one around it. */
function inherited(element: Element, name: string): string {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const value = at.getAttribute(name);
    if (value !== null) return value;
  }
  return "";
}

/** Where each text of a drawing stands, by the estimate of its width: what a layout engine would tell. */
function textBoxes(svg: string): { width: number; height: number; boxes: TextBox[] } {
  const { document } = parseHTML(`<!doctype html><html><body>${svg}</body></html>`);
  const root = document.querySelector("svg");
  if (root === null) throw new Error("no svg");
  const boxes = [...root.querySelectorAll("text")].map((element): TextBox => {
    const chain: Element[] = [];
    for (let at: Element | null = element; at !== null && at !== root; at = at.parentElement)
      chain.unshift(at);
    const matrix = chain
      .map((at) => transform(at.getAttribute("transform") ?? ""))
      .reduce(times, [1, 0, 0, 1, 0, 0]);
    const size = Number(inherited(element, "font-size"));
    const weight = inherited(element, "font-weight") === "600" ? 600 : 400;
    const width = textWidth(element.textContent, size, weight);
    const anchor = inherited(element, "text-anchor");
    const dy = Number.parseFloat(element.getAttribute("dy") ?? "0") * size;
    const x = Number(element.getAttribute("x") ?? 0);
    const y = Number(element.getAttribute("y") ?? 0) + dy;
    const start = x - (anchor === "end" ? width : anchor === "middle" ? width / 2 : 0);
    // Digits and small letters: what is drawn reaches from a little below the line to three quarters of the size above it.
    const corners = [
      [start, y - 0.74 * size],
      [start + width, y + 0.2 * size],
    ].map(([px = 0, py = 0]) => [
      matrix[0] * px + matrix[2] * py + matrix[4],
      matrix[1] * px + matrix[3] * py + matrix[5],
    ]);
    const [xs, ys] = [0, 1].map((axis) => corners.map((corner) => corner[axis] ?? 0)) as [number[], number[]];
    return {
      text: element.textContent,
      left: Math.min(...xs),
      right: Math.max(...xs),
      top: Math.min(...ys),
      bottom: Math.max(...ys),
    };
  });
  return {
    width: Number(root.getAttribute("width")),
    height: Number(root.getAttribute("height")),
    boxes: boxes.filter(({ text }) => text.trim() !== ""),
  };
}

/** Texts that leave the picture, and pairs that lie over each other, in words. */
export function textFaults(svg: string): string[] {
  const { width, height, boxes } = textBoxes(svg);
  const faults = boxes
    .filter(
      ({ left, right, top, bottom }) =>
        left < -0.5 || right > width + 0.5 || top < -0.5 || bottom > height + 0.5,
    )
    .map(
      ({ text, left, right, top, bottom }) =>
        `cut off: “${text}” [${[left, right, top, bottom].map(Math.round).join(", ")}] of ${width} × ${height}`,
    );
  boxes.forEach((a, i) =>
    boxes.slice(i + 1).forEach((b) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 1.5) faults.push(`over each other: “${a.text}” and “${b.text}”`);
    }),
  );
  return faults;
}
