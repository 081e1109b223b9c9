import { html, type Markup } from "../plots/html-markup.ts";
import { counted } from "../plots/plot-format.ts";
import type { RunDocument, SkippedFile } from "../runs/run-document.ts";
import type { DataForm, HashedFile } from "./report-data.ts";
import { numberCell, viewTable, wordsCell } from "./report-table.ts";
import { commands } from "./result-section.ts";
import { documentNoun } from "./run-words.ts";

const formWords: Record<DataForm, string> = {
  text: "in the page",
  gzip: "in the page, compressed",
  out: "left out, for the size of the page",
};

/** What the page is made of: every document with its hash, what was skipped and why, and how to have the data back. */
export function filesSection(
  documents: readonly (RunDocument & HashedFile)[],
  { forms, skipped, most }: { forms: readonly DataForm[]; skipped: readonly SkippedFile[]; most: number },
): Markup {
  const out = forms.filter((form) => form === "out").length;
  return html`<section id="files">
    <h2>Files and data</h2>
    <p>
      ${counted(documents.length - out, "document")} of this run
      ${documents.length - out === 1 ? "is" : "are"} in this page as JSON, byte for byte, in the element with
      the id “residua-data”.
      ${out > 0 && html`<b>${counted(out, "document")} had no room and ${out === 1 ? "is" : "are"} left out.</b>`}
      This writes them into a folder:
    </p>
    ${commands(["npx residua report --extract report.html --out FOLDER"])}
    ${viewTable(
      {
        caption: html`<b>Every document.</b>`,
        columns: [
          { head: "File" },
          { head: "what it is" },
          { head: "bytes" },
          { head: "data" },
          { head: "SHA-256" },
        ],
        rows: documents.map((document, index) => ({
          head: document.file,
          cells: [
            wordsCell(documentNoun(document)),
            numberCell(document.bytes, (value) => value.toLocaleString("en")),
            wordsCell(formWords[forms[index] ?? "out"]),
            html`<td class="words hash">${document.sha256}</td>`,
          ],
        })),
      },
      most,
    )}
    ${
      skipped.length > 0 &&
      viewTable(
        {
          caption: html`<b>Skipped files.</b> They are in the run folder, and not in this report.`,
          columns: [{ head: "File" }, { head: "why" }],
          rows: skipped.map(({ file, reason }) => ({ head: file, cells: [wordsCell(reason)] })),
        },
        most,
      )
    }
  </section>`;
}
