import type { Content, Markup } from "../../plots/html-markup.ts";
import type { Figure } from "../../plots/svg-figure.ts";
import type { Estimate } from "../../results/estimate.ts";
import { isAbove, type Verdict } from "../finding.ts";
import type { ViewTable } from "../report-table.ts";

/** What a report says of one result, before it is HTML: the same form for every kind. */
export interface ResultView {
  title: string;
  /** The questions that it answers; a result that claims nothing has one of finding `description`. */
  verdicts: Verdict[];
  /** How to read it, one paragraph each. */
  reading: Content[];
  figures: (() => Figure)[];
  /** Drawings that are no pictures, such as token strips. */
  strips?: (() => Markup)[];
  tables: ViewTable[];
  /** Settings, seeds, counts. */
  facts: (readonly [string, Content])[];
  notes: string[];
}

/** Names that stand inside sentences, cut to a length that leaves the page readable; the data keeps them whole. */
export function brief(text: string, most = 80): string {
  const line = text.trim().replace(/\s+/g, " ");
  const shown = [...line];
  return shown.length > most ? `${shown.slice(0, most).join("")}…` : line;
}

/** The seed, the generator and the draws that results name. */
export function drawFacts(result: {
  seed: number;
  random?: string;
  draws?: number;
}): (readonly [string, Content])[] {
  return [
    ["Seed", result.seed],
    ...(result.random === undefined ? [] : [["Random numbers", result.random] as const]),
    ...(result.draws === undefined ? [] : [["Bootstrap draws", result.draws.toLocaleString("en")] as const]),
  ];
}

/** A measurement without any claim. */
export function description(question: string, number: string, unit: string): Verdict {
  return { question, finding: "description", number, unit, interval: "", control: "" };
}

/** Estimates that lie wholly above a value, of enough groups to say so. */
export function countAbove(estimates: readonly Estimate[], value: number): number {
  return estimates.filter((estimate) => isAbove(estimate, { value, low: null, high: null })).length;
}
