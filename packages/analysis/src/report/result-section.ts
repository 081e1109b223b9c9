import { html, preformatted, type Markup } from "../plots/html-markup.ts";
import type { RunDocument } from "../runs/run-document.ts";
import { counted } from "../plots/plot-format.ts";
import { drawn, figureMarkup } from "./figure-markup.ts";
import { factList, viewTable } from "./report-table.ts";
import { documentNoun } from "./run-words.ts";
import { verdictLine } from "./verdict-markup.ts";
import type { ResultView } from "./views/result-view.ts";

/** How much of a result a page shows. The first is the most; the last is nothing but a line in the list of files. */
export const details = [
  { rows: 400, figures: true },
  { rows: 100, figures: true },
  { rows: 30, figures: true },
  { rows: 10, figures: true },
  { rows: 0, figures: false },
] as const;
export type Detail = (typeof details)[number];

const mostNotes = 40;

/** What is drawn for a result. It is the same at every detail that has figures, and drawing takes most of the time. */
export interface Drawn {
  figures: Markup[];
  strips: Markup[];
}

export function drawView({ figures, strips = [] }: ResultView): Drawn {
  return { figures: figures.map(figureMarkup), strips: strips.map(drawn) };
}

/** One result of a run: verdict lines, pictures, tables, settings, notes. */
export function resultSection(
  view: ResultView,
  { id, document, detail, draw }: { id: string; document: RunDocument; detail: Detail; draw: () => Drawn },
): Markup {
  const { rows } = detail;
  const { figures, strips } = detail.figures ? draw() : { figures: [], strips: [] };
  const notes = view.notes.slice(0, mostNotes);
  const left = view.notes.length - notes.length;
  const reading = view.reading.map((paragraph) => html`<p>${paragraph}</p>`);
  return html`<section id="${id}" class="result">
    <p class="kicker">${documentNoun(document)} · ${document.file}</p>
    <h2>${view.title}</h2>
    <ul class="findings">
      ${view.verdicts.map(verdictLine)}
    </ul>
    ${
      figures.length > 0
        ? html`<div class="beside">
            <div>${figures}</div>
            <aside>${reading}</aside>
          </div>`
        : html`<div class="prose">${reading}</div>`
    }
    ${strips}
    ${
      rows === 0
        ? view.tables.length > 0 &&
          html`<p class="note">
            The picture and the ${counted(view.tables.length, "table")} are left out for the size of this
            page: a report of this result alone shows them.
          </p>`
        : view.tables.map((table) => viewTable(table, rows))
    }
    ${
      rows > 0 &&
      html`<h3>Settings and seeds</h3>
        ${factList(view.facts)}`
    }
    ${
      notes.length > 0 &&
      html`<h3>Notes</h3>
        <ul class="notes">
          ${notes.map((note) => html`<li>${note}</li>`)}
          ${left > 0 && html`<li>and ${counted(left, "more note")}, in the data</li>`}
        </ul>`
    }
  </section>`;
}

/** Commands, one a line. */
export function commands(lines: readonly string[]): Markup {
  return html`<pre>${preformatted(lines.join("\n"))}</pre>`;
}
