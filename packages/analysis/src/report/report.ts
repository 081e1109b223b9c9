import { writeFileAtomic } from "../files/file-atomic.ts";
import { allowedWords } from "../options/allowed-words.ts";
import { checkPath } from "../options/check-path.ts";
import { choiceNames } from "../plots/choice-names.ts";
import { Markup, html } from "../plots/html-markup.ts";
import { escapeJson, plainText } from "../plots/html-text.ts";
import { answersSection } from "./report-answers.ts";
import { capturedSection } from "./report-captured.ts";
import { limitsSection } from "./capture-limits.ts";
import { readingSection } from "./report-reading.ts";
import { reportInputSchema, type ReportInput } from "./report-schema.ts";
import { rerunSection, settingsSection, termsSection } from "./report-settings.ts";
import { steeringSection } from "./report-steering.ts";
import { reportCss } from "./report-style.ts";
import { tokensSection } from "./report-tokens.ts";
import { harmless, summary, verdicts, type Finding } from "./report-words.ts";

const marks: Record<Finding, string> = { shown: "●", "in part": "◐", "not shown": "○", "not measured": "–" };

function header(input: ReportInput): Markup {
  const { title, model, createdAt } = input;
  const cards = verdicts(input).map(
    ({ question, finding, number, unit, interval, control }) =>
      html`<li>
        <b>${question}</b>
        <span class="number">${number}</span>
        <p>${unit}</p>
        <p>${interval}</p>
        <p class="quiet">${control !== "" && html`Control: ${control}`}</p>
        <span class="badge ${finding.replace(" ", "-")}">${marks[finding]} ${finding}</span>
      </li>`,
  );
  return html`<header>
    <p class="kicker">Residua report</p>
    <h1>${title}</h1>
    <p class="meta">${model.id} · ${model.checkpoint} · ${dateText(createdAt)}</p>
    <p class="lede">${summary(input)}</p>
    <ul class="verdicts">
      ${cards}
    </ul>
    <p class="note">
      In brackets and under numbers: 95% intervals. “Shown” means that the whole interval lies above the whole
      interval of each control; for the last question, that at least ${harmless.valid * 100}% of answers are
      valid and perplexity is at most ×${harmless.perplexityRatio} at the scales named.
    </p>
  </header>`;
}

const contents: [string, string][] = [
  ["captured", "Captured"],
  ["answers", "Answers"],
  ["reading", "Reading"],
  ["steering", "Steering"],
  ["tokens", "Tokens"],
  ["limits", "Limits"],
  ["rerun", "Run again"],
  ["settings", "Settings"],
  ["terms", "Words"],
];

/** Forbids every request, whatever a text might smuggle in. In upper case, so that a search of the page for addresses finds nothing. */
const policy = new Markup(
  `<meta HTTP-EQUIV="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`,
);

/** "2025-11-29 14:03 UTC". */
function dateText(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Names that stand inside sentences and table heads are cut to a length that leaves the page readable; the JSON keeps them whole. */
function forDisplay(input: ReportInput): ReportInput {
  const short = (text: string, most = 80): string => plainText(text.trim(), most);
  const { model, sweep, steering } = input;
  const [first, second] = choiceNames(steering);
  return {
    ...input,
    title: plainText(input.title, 200),
    model: { ...model, id: short(model.id), checkpoint: short(model.checkpoint) },
    sweep: { ...sweep, label: short(sweep.label), group: short(sweep.group) },
    steering: { ...steering, choices: [short(first, 40), short(second, 40)] },
  };
}

/**
 * The report as one HTML document: no script, no remote address, light and dark, printable. The input is checked first and
 * embedded as JSON under the id `residua-result`. Throws ZodError when it is not a `ReportInput`.
 */
export function renderReport(input: ReportInput): string {
  const checked = reportInputSchema.parse(input, { error: allowedWords });
  const shown = forDisplay(checked);
  const sections = [
    capturedSection(shown),
    answersSection(shown),
    readingSection(shown),
    steeringSection(shown),
    tokensSection(shown),
    limitsSection(shown),
    rerunSection(shown),
    settingsSection(shown),
    termsSection(),
  ];
  const links = contents.filter((_, index) => sections[index] !== undefined);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        ${policy}
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${shown.title}</title>
        <style>
          ${new Markup(reportCss)}
        </style>
      </head>
      <body>
        ${header(shown)}
        <nav aria-label="Contents">${links.map(([id, name]) => html`<a href="#${id}">${name}</a> `)}</nav>
        <main>${sections}</main>
        <script type="application/json" id="residua-result">
          ${new Markup(escapeJson(checked))}
        </script>
      </body>
    </html> `;
  return page.text;
}

/** Renders the report and writes it under its final name in one step. Returns the path. Throws as `renderReport`, and DatasetError when the file cannot be written. */
export async function writeReport(input: ReportInput, to: string): Promise<string> {
  checkPath(to, "to");
  const bytes = new TextEncoder().encode(renderReport(input));
  await writeFileAtomic(to, [bytes]);
  return to;
}
