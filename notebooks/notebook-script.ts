import ts from "typescript";
import { cellSource, type Notebook } from "./notebook.ts";

/**
 * A notebook's code cells as one module that runs without Jupyter. Where a cell ends in a value, Jupyter shows it; the module prints
 * the same as text: of a figure its title and what it shows, in words.
 */
export function notebookScript(name: string, notebook: Notebook): string {
  const cells = notebook.cells.filter((cell) => cell.cell_type === "code").map(cellSource);
  return [
    `// The code of ${name}: DENO_CONDITIONS=@residua/source deno run -A FILE, with FILE below this workspace.`,
    printer,
    ...cells.map(printLastValue),
    "",
  ].join("\n\n");
}

const printer = `function show(value: unknown): void {
  const figure = value as { [key: symbol]: (() => Record<string, string>) | undefined } | null | undefined;
  const shown = figure?.[Symbol.for("Jupyter.display")]?.()["text/plain"] ?? value;
  if (shown !== undefined) console.log(shown);
}`;

function printLastValue(cell: string): string {
  const source = ts.createSourceFile("cell.ts", cell, ts.ScriptTarget.Latest);
  const last = source.statements.at(-1);
  if (last === undefined || !ts.isExpressionStatement(last)) return cell;
  const [start, end] = [last.expression.getStart(source), last.expression.end];
  return `${cell.slice(0, start)}show(${cell.slice(start, end)});${cell.slice(last.end)}`;
}
