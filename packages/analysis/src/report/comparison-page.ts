import { html, type Markup } from "../plots/html-markup.ts";
import { counted, signed } from "../plots/plot-format.ts";
import {
  comparePaired,
  standsApart,
  type ComparedNumber,
  type ComparedPair,
} from "../runs/compare/compare-runs.ts";
import type { Run } from "../runs/read-run.ts";
import type { Scalar } from "../results/to-table.ts";
import { figureMarkup } from "./figure-markup.ts";
import { fitPage, pageLimit } from "./page-budget.ts";
import { pageShell } from "./page-shell.ts";
import { estimateCell, viewTable, wordsCell, type Row } from "./report-table.ts";
import { details, type Detail } from "./result-section.ts";
import { kindNoun } from "./run-words.ts";
import { badge } from "./verdict-markup.ts";
import { brief, type ResultView } from "./views/result-view.ts";
import { viewOf } from "./views/result-views.ts";

/** Two runs side by side as one offline HTML page of at most 2 MB. Throws as `compareRuns`. */
export function renderComparison(a: Run, b: Run, { limit = pageLimit }: { limit?: number } = {}): string {
  const { comparison, parts } = comparePaired(a, b);
  const names = { a: brief(a.name), b: brief(b.name) };
  const title = `${names.a} against ${names.b}`;
  const header = html`<p class="kicker">Residua comparison</p>
    <h1>${title}</h1>
    <p class="lede">${comparison.summary.join(" ")}</p>
    <p class="note">
      First is ${names.a}, second is ${names.b}. A difference is the first less the second. Its 95% interval
      adds both uncertainties as if they were independent; of numbers from the same rows it is rather too
      wide. Where data, model or seed are not the same, no difference is given.
    </p>`;
  const sections = [
    ...comparison.pairs.map((pair, index) => {
      const id = `p${index + 1}`;
      const sides = parts[index]!.map(({ result }) => result && viewOf(result));
      let drawn: Markup[][] | undefined;
      const draw = (): Markup[][] => (drawn ??= sides.map((view) => (view?.figures ?? []).map(figureMarkup)));
      const at = details.map((detail) => () => pairSection(pair, sides, { id, names, detail, draw }));
      return { id, name: brief(kindNoun(pair.kind), 28), at: [...at, () => undefined] };
    }),
    ...(comparison.onlyA.length + comparison.onlyB.length > 0
      ? [
          {
            id: "alone",
            name: "In one run alone",
            at: [200, 40, 10].map((most) => () => aloneSection(comparison, names, most)),
          },
        ]
      : []),
  ];
  const contents = sections.slice(0, 24).map(({ id, name }) => [id, name] as const);
  const shell = pageShell({ title, header, contents, main: [] });
  const known = new Map<() => Markup | undefined, number>();
  const size = (part: () => Markup | undefined): number => {
    const own = known.get(part) ?? Buffer.byteLength(part()?.text ?? "");
    known.set(part, own);
    return own;
  };
  const fitted = fitPage(
    {
      fixed: Buffer.byteLength(shell),
      sections: sections.map(({ at }) => ({ details: at.length, at: (detail) => size(at[detail]!) })),
      documents: [],
    },
    limit,
  );
  const drawn = sections.map(({ at }, index) => at[fitted.details[index]!]!());
  const left = drawn.filter((part) => part === undefined).length;
  return pageShell({
    title,
    header,
    contents: contents.filter((_, index) => drawn[index] !== undefined),
    main: [
      ...drawn,
      left > 0 &&
        html`<p class="note">
          ${counted(left, "more result")} had no room: residua compare --json has them.
        </p>`,
    ],
  });
}

interface Sides {
  a: string;
  b: string;
}

function pairSection(
  pair: ComparedPair,
  views: readonly (ResultView | undefined)[],
  { id, names, detail, draw }: { id: string; names: Sides; detail: Detail; draw: () => Markup[][] },
): Markup {
  const { rows, figures } = detail;
  const same = pair.files.a === pair.files.b ? pair.files.a : `${pair.files.a} and ${pair.files.b}`;
  const about = pair.about.a === pair.about.b ? pair.about.a : `${pair.about.a} / ${pair.about.b}`;
  const noun = kindNoun(pair.kind);
  const drawn = figures ? draw() : [];
  return html`<section id="${id}" class="result">
    <p class="kicker">${same}</p>
    <h2>${noun.charAt(0).toUpperCase() + noun.slice(1)}${about !== "" && `: ${brief(about)}`}</h2>
    <div class="sides">
      ${views.map((view, index) => view && sideMarkup(view, index === 0 ? names.a : names.b, drawn[index] ?? []))}
    </div>
    ${settingsPart(pair, names, rows)}
    ${
      pair.obstacles.length > 0 &&
      html`<p class="note"><b>Its numbers cannot be compared:</b></p>
        <ul class="notes">
          ${pair.obstacles.map((obstacle) => html`<li>${obstacle}</li>`)}
        </ul>`
    }
    ${rows > 0 && pair.numbers.length > 0 && numbersPart(pair, names, rows)}
    ${rows === 0 && html`<p class="note">Its pictures and tables are left out for the size of this page.</p>`}
  </section>`;
}

/** What one run says of the question, and its picture. */
function sideMarkup(view: ResultView, name: string, figures: readonly Markup[]): Markup {
  return html`<div>
    <h3>${name}</h3>
    <ul class="findings">
      ${view.verdicts.map(({ question, finding, number, unit, interval }) => html`<li>${badge(finding)} <b>${question}</b> ${number} ${unit}${interval !== "" && `; ${interval}`}</li>`)}
    </ul>
    ${figures}
  </div>`;
}

const settingText = (value: Scalar): string => (value === null ? "–" : String(value));

function settingsPart({ settings, sameSettings }: ComparedPair, names: Sides, rows: number): Markup {
  if (settings.length === 0)
    return html`<p class="note"><b>Settings:</b> all ${sameSettings} that were recorded are equal.</p>`;
  return viewTable(
    {
      caption: html`<b>Settings that differ.</b> ${sameSettings} others are equal.`,
      columns: [{ head: "Setting" }, { head: names.a }, { head: names.b }],
      rows: settings.map(({ name, a, b }) => ({
        head: name,
        cells: [wordsCell(settingText(a)), wordsCell(settingText(b))],
      })),
    },
    Math.max(rows, 20),
  );
}

function numbersPart({ numbers, obstacles }: ComparedPair, names: Sides, rows: number): Markup {
  const keys = [...new Set(numbers.flatMap(({ of }) => Object.keys(of)))];
  const compared = obstacles.length === 0;
  return viewTable(
    {
      caption: html`<b>Every number of both.</b> Each with its 95% interval beneath.
        ${compared && "Marked: the difference stands apart from 0."}`,
      columns: [
        { head: "Number" },
        ...keys.map((key) => ({ head: key })),
        { head: names.a },
        { head: names.b },
        ...(compared ? [{ head: "difference", note: "first − second" }] : []),
        { head: "own intervals" },
      ],
      rows: numbers.map((number) => numberRow(number, keys, compared)),
    },
    rows,
  );
}

const format = (value: number): string => (Math.abs(value) >= 1000 ? signed(value, 0) : signed(value, 3));

function numberRow(number: ComparedNumber, keys: readonly string[], compared: boolean): Row {
  const { metric, of, a, b, difference, reason, intervalsApart: apart } = number;
  return {
    head: metric,
    marked: standsApart(number),
    cells: [
      ...keys.map((key) => {
        const value = of[key] ?? null;
        return typeof value === "number"
          ? html`<td data-v="${value}">${signed(value)}</td>`
          : wordsCell(settingText(value));
      }),
      estimateCell(a ?? undefined, format, "–"),
      estimateCell(b ?? undefined, format, "–"),
      ...(compared ? [estimateCell(difference ?? undefined, format, reason ?? "–")] : []),
      wordsCell(apart === null ? "–" : apart ? "apart" : "overlap"),
    ],
  };
}

function aloneSection(
  { onlyA, onlyB }: { onlyA: readonly Alone[]; onlyB: readonly Alone[] },
  names: Sides,
  most: number,
): Markup {
  const rows = [
    ...onlyA.map((one) => ({ one, run: names.a })),
    ...onlyB.map((one) => ({ one, run: names.b })),
  ];
  return html`<section id="alone">
    <h2>In one run alone</h2>
    ${viewTable(
      {
        caption: html`<b>What the other run has no counterpart of,</b> or several that could be meant.`,
        columns: [{ head: "File" }, { head: "run" }, { head: "what it is" }, { head: "about" }],
        rows: rows.map(({ one, run }) => ({
          head: one.file,
          cells: [wordsCell(run), wordsCell(kindNoun(one.kind)), wordsCell(brief(one.about) || "–")],
        })),
      },
      most,
    )}
  </section>`;
}

interface Alone {
  kind: string;
  file: string;
  about: string;
}
