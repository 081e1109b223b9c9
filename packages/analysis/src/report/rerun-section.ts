import { html, type Markup } from "../plots/html-markup.ts";
import { counted } from "../plots/plot-format.ts";
import { provenanceName } from "../runs/provenance.ts";
import type { DocumentOf, RunDocument } from "../runs/run-document.ts";
import type { HashedFile } from "./report-data.ts";
import { viewTable, wordsCell } from "./report-table.ts";
import { dateText } from "./run-header.ts";
import { commands } from "./result-section.ts";

/** The provenance of a document: beside it, and of its very bytes. */
function provenanceOf(
  { file, sha256 }: HashedFile,
  documents: readonly RunDocument[],
): { found: DocumentOf<"provenance">["value"]; changed: boolean } | undefined {
  const name = provenanceName(file);
  const beside = documents.find((document) => document.file === name);
  if (beside?.type !== "provenance") return undefined;
  return { found: beside.value, changed: beside.value.sha256 !== sha256 };
}

/** The commands that made the results, in the order of their dates, and which results tell none. */
export function rerunSection(
  documents: readonly (RunDocument & HashedFile)[],
  most: number,
): Markup | undefined {
  const own = documents.flatMap((document) => (document.type === "first-run" ? document.value.rerun : []));
  const made = documents
    .filter(({ type }) => type !== "provenance")
    .map((document) => ({ document, provenance: provenanceOf(document, documents) }));
  const told = made
    .flatMap(({ provenance }) => (provenance ? [provenance.found] : []))
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  const untold = made.filter(
    ({ document, provenance }) =>
      !provenance && (document.type === "result" || document.type === "self-test"),
  );
  const changed = made.filter(({ provenance }) => provenance?.changed);
  const lines = [...own, ...new Set(told.map(({ command }) => command))];
  if (lines.length === 0 && untold.length === 0) return undefined;
  const names = untold.slice(0, 10).map(({ document }) => document.file);
  return html`<section id="rerun">
    <h2>How to run it again</h2>
    ${lines.length > 0 && commands(lines.slice(0, most))}
    ${lines.length > most && html`<p class="note">${counted(lines.length - most, "more command")} are in the data.</p>`}
    ${
      changed.length > 0 &&
      html`<p class="note">
        <b>Changed since:</b> ${changed
          .slice(0, 10)
          .map(({ document }) => document.file)
          .join(", ")}:
        the file is not the one that its command wrote.
      </p>`
    }
    ${
      untold.length > 0 &&
      html`<p class="note">
        Not recorded: how
        ${names.join(", ")}${untold.length > names.length && ` and ${untold.length - names.length} more`} came
        about. A result written with <code>--out FILE</code> has its command, versions and inputs beside it.
      </p>`
    }
    ${told.length > 0 && viewTable(madeTable(told), most)}
  </section>`;
}

function madeTable(told: readonly DocumentOf<"provenance">["value"][]) {
  const pairs = (record: Readonly<Record<string, unknown>>): string =>
    Object.entries(record)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(", ");
  return {
    caption: html`<b>What each command stood on.</b>`,
    columns: [
      { head: "Result" },
      { head: "when" },
      { head: "seconds" },
      { head: "inputs" },
      { head: "versions" },
      { head: "settings" },
    ],
    rows: told.map(({ file, createdAt, seconds, inputs, versions, settings }) => ({
      head: file,
      cells: [
        wordsCell(dateText(createdAt)),
        html`<td data-v="${seconds}">${seconds.toFixed(1)}</td>`,
        wordsCell(
          inputs.map(({ role, path, sha256 }) => html`${role}: ${path}<small class="hash">${sha256}</small>`),
        ),
        wordsCell(pairs(versions)),
        wordsCell(pairs(settings) || "–"),
      ],
    })),
  };
}
