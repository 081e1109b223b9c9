import { choiceNames } from "../plots/choice-names.ts";
import { html, type Markup } from "../plots/html-markup.ts";
import { plainText } from "../plots/html-text.ts";
import { limitsSection } from "./capture-limits.ts";
import { answersSection } from "./report-answers.ts";
import { capturedSection } from "./report-captured.ts";
import { readingSection } from "./report-reading.ts";
import type { ReportInput } from "./report-schema.ts";
import { settingsSection } from "./report-settings.ts";
import { steeringSection } from "./report-steering.ts";
import { tokensSection } from "./report-tokens.ts";
import { harmless, summary, verdicts } from "./report-words.ts";
import { askedMarkup, dateText, type AskedVerdict } from "./run-header.ts";
import { verdictCard } from "./verdict-markup.ts";

/** Id, name in the contents, markup (undefined: it has nothing to say). */
type Part = readonly [id: string, name: string, part: Markup | undefined];

/** The header of a first run; `asked` are the verdicts of other results in its folder. */
export function firstRunHeader(input: ReportInput, asked: readonly AskedVerdict[]): Markup {
  const shown = forDisplay(input);
  const { title, model, createdAt } = shown;
  return html`<p class="kicker">Residua report</p>
    <h1>${title}</h1>
    <p class="meta">${model.id} · ${model.checkpoint} · ${dateText(createdAt)}</p>
    <p class="lede">${summary(shown)}</p>
    <ul class="verdicts">
      ${verdicts(shown).map((verdict) => verdictCard(verdict))}
    </ul>
    <p class="note">
      In brackets and under numbers: 95% intervals. “Shown” means that the whole interval lies above the whole
      interval of each control; for the last question, that at least ${harmless.valid * 100}% of answers are
      valid and perplexity is at most ×${harmless.perplexityRatio} at the scales named.
    </p>
    ${
      asked.length > 0 &&
      html`<h2>Further results of this folder</h2>
        ${askedMarkup(asked)}`
    }`;
}

/** The sections of a first run: what it found, and what it stood on. */
export function firstRunSections(input: ReportInput): { results: Part[]; settings: Part[] } {
  const shown = forDisplay(input);
  return {
    results: [
      ["captured", "Captured", capturedSection(shown)],
      ["answers", "Answers", answersSection(shown)],
      ["reading", "Reading", readingSection(shown)],
      ["steering", "Steering", steeringSection(shown)],
      ["tokens", "Tokens", tokensSection(shown)],
      ["limits", "Limits", limitsSection(shown)],
    ],
    settings: [["settings", "Settings", settingsSection(shown)]],
  };
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
