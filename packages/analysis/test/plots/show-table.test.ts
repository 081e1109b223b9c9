import { tableFromArrays } from "apache-arrow";
import fc from "fast-check";
import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { showTable } from "../../src/plots/show-table.ts";
import { jupyterDisplay } from "../../src/plots/svg-figure.ts";

const bodyOf = (markup: string): string[][] =>
  [...parseHTML(`<body>${markup}</body>`).document.querySelectorAll("tbody tr")].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? ""),
  );

describe("showTable", () => {
  test("writes an estimate with its interval, or why there is none", () => {
    const score = { value: 0.98765, low: 0.9, high: 1 };
    const undefinedScore = { value: null, low: null, high: null, reason: "one class" };
    const table = showTable([
      { layer: 4, score },
      { layer: 5, score: undefinedScore },
    ]);
    expect(bodyOf(table.html)).toEqual([
      ["4", "0.988 (0.900 to 1.000)"],
      ["5", "not defined: one class"],
    ]);
  });

  test("aligns columns of text, numbers at the right", () => {
    const table = showTable([
      { name: "a", n: 1200, share: -0.5 },
      { name: "longer", n: 7, share: null },
    ]);
    expect(String(table)).toBe(
      ["name       n   share", "──────  ────  ──────", "a       1200  −0.500", "longer     7       –"].join(
        "\n",
      ),
    );
    expect(table.html).toContain(`<td style="text-align:right">1200</td>`);
    expect(table[jupyterDisplay]()).toEqual({ "text/html": table.html, "text/plain": String(table) });
  });

  test("shows the first rows of an Arrow table and counts the rest", () => {
    const table = showTable(tableFromArrays({ row: Int32Array.from([0, 1, 2]), text: ["a", "b", "c"] }), {
      maxRows: 2,
    });
    expect(bodyOf(table.html)).toEqual([
      ["0", "a"],
      ["1", "b"],
    ]);
    expect(String(table)).toContain("… 1 more rows of 3");
  });

  test("takes the columns of all rows that it shows", () => {
    expect(bodyOf(showTable([{ a: 1 }, { b: "x" }]).html)).toEqual([
      ["1", "–"],
      ["–", "x"],
    ]);
  });

  test("refuses what is no table", () => {
    expect(() => showTable("rows" as never)).toThrow(/rows.*a list of objects, or an Arrow table/s);
    expect(() => showTable([], { maxRows: 0 })).toThrow(/maxRows/);
  });

  test("lets no text become markup, and shows it whole", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 200 }), (text) => {
        const [[cell] = []] = bodyOf(showTable([{ text: `<b>${text}` }]).html);
        expect(cell).toBe(`<b>${text}`.replace(/ +/g, " "));
      }),
    );
  });
});
