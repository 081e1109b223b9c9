import type { Markup } from "../plots/html-markup.ts";
import type { DocumentOf, RunDocument } from "../runs/run-document.ts";
import { kindPlace } from "../results/kind-order.ts";
import type { Run } from "../runs/read-run.ts";
import { checksSection } from "./checks-section.ts";
import { datasetSection } from "./dataset-section.ts";
import { filesSection } from "./files-section.ts";
import { firstRunHeader, firstRunSections } from "./first-run-page.ts";
import { fitPage, pageLimit } from "./page-budget.ts";
import { pageShell } from "./page-shell.ts";
import { dataElement, embeddedSize, hashedFile, type DataForm, type HashedFile } from "./report-data.ts";
import { termsSection } from "./report-settings.ts";
import { rerunSection } from "./rerun-section.ts";
import { details, drawView, resultSection, type Drawn } from "./result-section.ts";
import { resultLink, runHeader, type AskedVerdict } from "./run-header.ts";
import { brief, type ResultView } from "./views/result-view.ts";
import { viewOf } from "./views/result-views.ts";
import { viewLayerSweep } from "./views/view-layer-sweep.ts";
import { viewSteeringEvaluation } from "./views/view-steering.ts";

type Held = RunDocument & HashedFile;

/** A part of the page, at each detail that it can have; the last is nothing. */
interface Section {
  id: string;
  name: string;
  at: readonly (() => Markup | undefined)[];
}

const nothing = (): undefined => undefined;

/**
 * The report of a run as one HTML page of at most `limit` bytes (2 MB): what is shown and what is not, each result with its picture and its numbers, what was
 * checked, how to run it again, and the documents themselves. Light and dark, printable, no remote address; one script of its own sorts and searches tables, and
 * without it the page is whole. Equal runs give equal bytes.
 */
export function renderRun(run: Run, { limit = pageLimit }: { limit?: number } = {}): string {
  const documents: Held[] = run.documents.map((document) => ({ ...document, ...hashedFile(document) }));
  const firstRuns = documents.filter(({ type }) => type === "first-run") as (Held &
    DocumentOf<"first-run">)[];
  const main = firstRuns.length === 1 ? firstRuns[0] : undefined;
  const own = main && firstRunSections(main.value);
  const results = resultSections(documents.filter((document) => document !== main));
  const before = [...fixedSections(own?.results ?? []), ...results.sections];
  const after = [
    ...runSections(documents),
    ...fixedSections(own?.settings ?? []),
    ...fixedSections([["terms", "Words", termsSection()]]),
  ];
  const files = (forms: readonly DataForm[]): Section => ({
    id: "files",
    name: "Files",
    at: [200, 40, 10].map((most) => () => filesSection(documents, { forms, skipped: run.skipped, most })),
  });
  const header = main
    ? firstRunHeader(main.value, results.asked)
    : runHeader({ run, documents, asked: results.asked });
  const title = main ? main.value.title : run.name;
  const size = sizes();
  const sections = [...before, ...after];
  const assumed = files(documents.map(() => "gzip" as const));
  const contents = (shown: readonly Section[]) =>
    shown
      .filter(({ id }, index) => !/^r\d/.test(id) || index < 16)
      .map(({ id, name }) => [id, name] as const);
  const shell = pageShell({ title, header, contents: contents([...sections, assumed]), main: [] });
  const fitted = fitPage(
    {
      // The list of what is left out grows as documents leave.
      fixed: bytesOf(shell) + 200 + 130 * Math.min(300, documents.length),
      sections: [...sections, assumed].map(({ at }) => ({
        details: at.length,
        at: (detail) => size(at[detail]!),
      })),
      documents: documents.map((document) => {
        const known = new Map<DataForm, number>();
        return {
          keep: document === main,
          at: (form: DataForm) => known.get(form) ?? remember(known, form, embeddedSize(document, form)),
        };
      }),
    },
    limit,
  );
  const last = [...sections, files(fitted.forms)];
  const drawn = last.map(({ at }, index) => at[fitted.details[index]!]!());
  return pageShell({
    title: brief(title, 200),
    header,
    contents: contents(last.filter((_, index) => drawn[index] !== undefined)),
    main: drawn,
    data: dataElement(documents, fitted.forms),
  });
}

function remember<K>(known: Map<K, number>, key: K, value: number): number {
  known.set(key, value);
  return value;
}

/** Bytes of a part; each is made once for that. */
function sizes(): (part: () => Markup | undefined) => number {
  const known = new Map<() => Markup | undefined, number>();
  return (part) => known.get(part) ?? remember(known, part, bytesOf(part()?.text ?? ""));
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** Parts that are there whole, or not. */
function fixedSections(
  parts: readonly (readonly [id: string, name: string, part: Markup | undefined])[],
): Section[] {
  return parts.flatMap(([id, name, part]) =>
    part === undefined ? [] : [{ id, name, at: [() => part, nothing] }],
  );
}

/** Of so many results none could be shown in full: where to begin spares the drawing of what is left out anyhow. */
function firstDetail(results: number): number {
  if (results > 150) return details.length - 1;
  return results > 60 ? details.length - 2 : 0;
}

function resultSections(documents: readonly Held[]): { sections: Section[]; asked: AskedVerdict[] } {
  const results = documents
    .toSorted((a, b) => place(a) - place(b))
    .flatMap((document) => viewsOf(document).map((view) => ({ document, view })));
  const shown = details.slice(firstDetail(results.length));
  const asked: AskedVerdict[] = [];
  const sections = results.map(({ document, view }, index): Section => {
    const id = `r${index + 1}`;
    asked.push(...view.verdicts.map((verdict) => ({ verdict, id, file: document.file })));
    let drawn: Drawn | undefined;
    const draw = (): Drawn => (drawn ??= drawView(view));
    return {
      id,
      name: resultLink(document.file),
      at: [...shown.map((detail) => () => resultSection(view, { id, document, detail, draw })), nothing],
    };
  });
  return { sections, asked };
}

function place(document: RunDocument): number {
  return document.type === "result" ? kindPlace(document.value.kind) : -1;
}

/** Of several first runs none is the page's own: each shows its sweep and its steering as results. */
function viewsOf(document: RunDocument): ResultView[] {
  if (document.type === "result") return [viewOf(document.value)];
  if (document.type !== "first-run") return [];
  return [viewLayerSweep(document.value.sweep), viewSteeringEvaluation(document.value.steering)];
}

function runSections(documents: readonly Held[]): Section[] {
  const datasets = documents.filter(({ type }) => type === "dataset") as (Held & DocumentOf<"dataset">)[];
  const named = (id: string, name: string, at: Section["at"]): Section[] =>
    at[0]?.() === undefined ? [] : [{ id, name, at: [...at, nothing] }];
  return [
    ...named(
      "datasets",
      datasets.length === 1 ? "Dataset" : "Datasets",
      [20, 4, 1].map((most) => () => datasetSection(datasets, most)),
    ),
    ...named(
      "checks",
      "Checks",
      [10, 2, 1].map((most) => () => checksSection(documents, most)),
    ),
    ...named(
      "rerun",
      "Run again",
      [60, 10].map((most) => () => rerunSection(documents, most)),
    ),
  ];
}
