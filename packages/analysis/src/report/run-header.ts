import { html, type Markup } from "../plots/html-markup.ts";
import type { Run } from "../runs/read-run.ts";
import type { RunDocument } from "../runs/run-document.ts";
import type { Verdict } from "./finding.ts";
import { viewTable } from "./report-table.ts";
import { modelsText, runSummary } from "./run-words.ts";
import { findingsNote, verdictCard, verdictTable } from "./verdict-markup.ts";
import { brief } from "./views/result-view.ts";

/** A verdict with the section that it is from. */
export interface AskedVerdict {
  verdict: Verdict;
  id: string;
  file: string;
}

const [mostCards, mostQuestions] = [8, 200];

/** "2025-11-29 14:03 UTC". */
export function dateText(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** What a section is called in the contents. */
export function resultLink(file: string): string {
  return brief(file.replace(/\.json$/, ""), 28);
}

/** Verdicts of results as cards where they are few, else as a table. */
export function askedMarkup(asked: readonly AskedVerdict[]): Markup | undefined {
  if (asked.length === 0) return undefined;
  if (asked.length > mostCards) return viewTable(verdictTable(asked), mostQuestions);
  return html`<ul class="verdicts">
    ${asked.map(({ verdict, id, file }) => verdictCard(verdict, { id, file }))}
  </ul>`;
}

export function runHeader({
  run,
  documents,
  asked,
}: {
  run: Run;
  documents: readonly RunDocument[];
  asked: readonly AskedVerdict[];
}): Markup {
  const dates = documents.flatMap(dateOf).sort();
  const last = dates.at(-1);
  const meta = [modelsText(documents), last === undefined ? "" : dateText(last)].filter(Boolean).join(" · ");
  return html`<p class="kicker">Residua report</p>
    <h1>${brief(run.name, 200)}</h1>
    ${meta !== "" && html`<p class="meta">${meta}</p>`}
    <p class="lede">
      ${runSummary(
        documents,
        asked.map(({ verdict }) => verdict),
      )}
    </p>
    ${askedMarkup(asked)} ${asked.length > 0 && findingsNote}`;
}

/** When a document says that it was made. */
function dateOf(document: RunDocument): string[] {
  if (document.type === "provenance" || document.type === "first-run") return [document.value.createdAt];
  if (document.type !== "self-test") return [];
  return Number.isNaN(Date.parse(document.value.fingerprint.date)) ? [] : [document.value.fingerprint.date];
}
