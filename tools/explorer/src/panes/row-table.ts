import { html, type Markup } from "@residua/analysis/plots";
import type { RunDataset } from "../run/run-dataset.ts";
import { valueText } from "../work/browse-rows.ts";
import type { Choice } from "./choices.ts";
import { scoreText } from "./number-text.ts";
import { rawText } from "./raw-text.ts";

export interface TableRows {
  readonly rows: readonly number[];
  readonly scored: { readonly scores: Float64Array; readonly threshold: number } | null;
  readonly choice: Choice | undefined;
  /** A column that every row shares. */
  readonly without?: string;
}

/** Rows with their columns and score; the example is a link. */
export async function rowTable(
  chosen: RunDataset,
  { rows, scored, choice, without }: TableRows,
): Promise<Markup> {
  const columns = await Promise.all(
    chosen.shown
      .filter(({ name }) => name !== without)
      .map(async ({ name, type }) => ({ name, type, values: await chosen.column(name) })),
  );
  const link = (example: string): string => {
    const query = new URLSearchParams({ dataset: chosen.place, id: example });
    if (choice !== undefined) {
      query.set("scorer", choice.scorer.id);
      query.set("layer", String(choice.layer));
    }
    return `example?${query.toString()}`;
  };
  const cell = (row: number, { name, type, values }: (typeof columns)[number]): Markup => {
    const value = values[row] ?? null;
    if (name === "example")
      return html`<td class="words"><a href="${rawText(link(String(value)))}">${valueText(value)}</a></td>`;
    if (name === "token") return html`<td class="words">${value === null ? "–" : JSON.stringify(value)}</td>`;
    const words = type === "utf8" || type === "bool";
    return html`<td ${words && html`class="words"`}>${valueText(value)}</td>`;
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Rows">
    <table>
      <thead>
        <tr>
          <th scope="col">Row</th>
          ${scored !== null && html`<th scope="col">Score</th>`}
          ${columns.map(({ name, type }) => html`<th scope="col" ${(type === "utf8" || type === "bool") && html`class="words"`}>${name}</th> `)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              <th scope="row">${row}</th>
              ${scored !== null && scoreCell(scored.scores[row]!, scored.threshold)}
              ${columns.map((column) => cell(row, column))}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

/** The side is told by a mark, not by colour alone. */
function scoreCell(score: number, threshold: number): Markup {
  const side = score > threshold ? "above" : "under";
  return html`<td class="score ${side}">
    ${scoreText(score)}
    <span aria-label="${side} the threshold" role="img">${side === "above" ? "▲" : "▽"}</span>
  </td>`;
}
