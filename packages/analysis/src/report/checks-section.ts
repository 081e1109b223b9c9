import { html, type Markup } from "../plots/html-markup.ts";
import { counted } from "../plots/plot-format.ts";
import type { DocumentOf, RunDocument } from "../runs/run-document.ts";
import { fingerprintFacts } from "./dataset-section.ts";
import { factList, viewTable, wordsCell, type ViewTable } from "./report-table.ts";

/** Self-tests and dataset checks of a run. */
export function checksSection(documents: readonly RunDocument[], most: number): Markup | undefined {
  const parts = documents.flatMap((document) => {
    if (document.type === "self-test") return [selfTestPart(document)];
    return document.type === "lint" ? [lintPart(document)] : [];
  });
  if (parts.length === 0) return undefined;
  return html`<section id="checks">
    <h2>What was checked</h2>
    ${parts.slice(0, most)}
    ${
      parts.length > most &&
      html`<p class="note">
        ${counted(parts.length - most, "more report")} of checks are not shown here, for the size of the page.
      </p>`
    }
  </section>`;
}

const statusMarks = { pass: "✓", fail: "✗", inconclusive: "?", "not applicable": "–" } as const;

function selfTestPart({ file, value }: DocumentOf<"self-test">): Markup {
  const count = (wanted: string): number => value.results.filter(({ status }) => status === wanted).length;
  const { unmet, needs } = value;
  return html`<h3>Self-test of the server <span class="quiet">${file}</span></h3>
    <p>
      ${count("pass")} of ${counted(value.results.length, "check")} passed, ${count("fail")} failed,
      ${count("inconclusive")} could not be decided, ${count("not applicable")} did not apply.
      ${needs !== undefined && needs.length > 0 && `Needed: ${needs.join(", ")}.`}
      ${unmet !== undefined && unmet.length > 0 && html`<b>Not to be relied on: ${unmet.map(({ need, reason }) => `${need} (${reason})`).join("; ")}.</b>`}
    </p>
    ${factList(fingerprintFacts(value.fingerprint))} ${viewTable(resultsTable(value.results), 60)}
    ${
      value.changes.length > 0 &&
      html`<ul class="notes">
        ${value.changes.slice(0, 40).map((change) => html`<li>From then on: ${change}</li>`)}
      </ul>`
    }`;
}

function resultsTable(results: DocumentOf<"self-test">["value"]["results"]): ViewTable {
  return {
    caption: html`<b>Every check.</b>`,
    columns: [
      { head: "Check" },
      { head: "what" },
      { head: "came out" },
      { head: "found" },
      { head: "means" },
    ],
    rows: results.map(({ code, title, status, detail, meaning }) => ({
      head: code,
      marked: status === "fail",
      cells: [
        wordsCell(title),
        wordsCell(`${statusMarks[status]} ${status}`),
        wordsCell(detail),
        wordsCell(meaning),
      ],
    })),
  };
}

function lintPart({ file, value }: DocumentOf<"lint">): Markup {
  const errors = value.findings.filter(({ severity }) => severity === "error").length;
  return html`<h3>Check of the dataset <span class="quiet">${file}</span></h3>
    <p>
      ${counted(value.rows, "row")} of ${counted(value.examples, "example")}, labels
      ${value.labels.join(", ") || "none"}: ${counted(errors, "error")},
      ${counted(value.findings.length - errors, "warning")}.
      ${value.findings.length === 0 && "Nothing that would flatter or break a probe was found."}
    </p>
    ${
      value.findings.length > 0 &&
      viewTable(
        {
          caption: html`<b>What would flatter or break a probe.</b>`,
          columns: [
            { head: "Finding" },
            { head: "severity" },
            { head: "label" },
            { head: "what" },
            { head: "what to do" },
          ],
          rows: value.findings.map(({ code, severity, label, what, advice }) => ({
            head: code,
            marked: severity === "error",
            cells: [wordsCell(severity), wordsCell(label ?? "–"), wordsCell(what), wordsCell(advice)],
          })),
        },
        60,
      )
    }
    ${
      value.notChecked.length > 0 &&
      html`<ul class="notes">
        ${value.notChecked.slice(0, 40).map(({ code, label, reason }) => html`<li>Not checked: ${code}${label !== null && ` of ${label}`}: ${reason}</li>`)}
      </ul>`
    }`;
}
