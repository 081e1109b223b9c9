import { describe, expect, test } from "vitest";
import { notebookScript } from "../notebook-script.ts";
import type { Notebook } from "../notebook.ts";

const code = (...sources: string[]): Notebook => ({
  cells: sources.map((source) => ({ cell_type: "code", source })),
});
const cellsOf = (script: string): string => script.slice(script.indexOf("}\n\n") + 3).trim();

describe("notebookScript", () => {
  test("prints the value that a cell ends in, and nothing else", () => {
    const script = notebookScript(
      "x.ipynb",
      code("const a = 1;\na + 1", "const b = a;", "for (const x of [b]) x;"),
    );
    expect(cellsOf(script)).toBe("const a = 1;\nshow(a + 1);\n\nconst b = a;\n\nfor (const x of [b]) x;");
  });

  test.each([
    ["an object", "({ a: 1 });", "show(({ a: 1 }));"],
    ["a call with a comment behind it", "plot(x); // shown", "show(plot(x)); // shown"],
    ["what is waited for", "await run();", "show(await run());"],
    ["a template over several lines", "`a\n\nb`", "show(`a\n\nb`);"],
  ])("takes %s whole", (_, cell, expected) => {
    expect(cellsOf(notebookScript("x.ipynb", code(cell)))).toBe(expected);
  });

  test("leaves text cells out and joins lines", () => {
    const notebook: Notebook = {
      cells: [
        { cell_type: "markdown", source: "# const" },
        { cell_type: "code", source: ["let a = 1;\n", "a = 2;"] },
      ],
    };
    expect(cellsOf(notebookScript("x.ipynb", notebook))).toBe("let a = 1;\nshow(a = 2);");
  });
});
