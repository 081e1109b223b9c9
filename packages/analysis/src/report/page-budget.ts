import type { DataForm } from "./report-data.ts";

/** Bytes that a page may have. */
export const pageLimit = 2_000_000;

/** What may be made smaller: sections by detail, documents by form. Sizes are bytes in the page. */
export interface PageLoad {
  /** Of everything that is always there. */
  fixed: number;
  /** By section: its size at each detail, the fullest first; the last is always 0: not there. */
  sections: readonly { at(detail: number): number; details: number }[];
  documents: readonly { at(form: DataForm): number; keep: boolean }[];
}

export interface FittedPage {
  /** By section, the index of its detail. */
  details: number[];
  /** By document. */
  forms: DataForm[];
}

/**
 * Chooses what a page of at most `limit` bytes shows: everything where it fits. Else documents are compressed and, the largest first, left out until they
 * take at most half of the page (or what sections leave), and then sections lose rows, the largest first.
 */
export function fitPage(load: PageLoad, limit: number = pageLimit): FittedPage {
  const details = load.sections.map(() => 0);
  const forms: DataForm[] = load.documents.map(() => "text");
  const room = limit - load.fixed;
  const sectionSize = (): number => sum(load.sections.map((section, i) => section.at(details[i]!)));
  const dataSize = (): number => sum(load.documents.map((document, i) => document.at(forms[i]!)));
  const full = sectionSize();
  if (full + dataSize() <= room) return { details, forms };

  const allowed = Math.max(room / 2, room - full);
  shrink(dataSize, allowed, () => {
    const plain = largest(load.documents, (document, i) =>
      forms[i] === "text" && document.at("gzip") < document.at("text") ? document.at("text") : 0,
    );
    if (plain >= 0) forms[plain] = "gzip";
    if (plain >= 0) return true;
    const size = (kept: boolean) =>
      largest(load.documents, (document, i) => (document.keep === kept ? document.at(forms[i]!) : 0));
    const left = size(false) >= 0 ? size(false) : size(true);
    if (left >= 0) forms[left] = "out";
    return left >= 0;
  });
  shrink(
    () => sectionSize() + dataSize(),
    room,
    () => {
      const next = largest(load.sections, (section, i) =>
        details[i]! < section.details - 1 ? section.at(details[i]!) : 0,
      );
      if (next >= 0) details[next]! += 1;
      return next >= 0;
    },
  );
  return { details, forms };
}

/** Takes steps until the size is within the room, or there is none to take. */
function shrink(size: () => number, room: number, step: () => boolean): void {
  while (size() > room && step());
}

/** Index of the largest value above 0; of equal ones the last. −1 where there is none. */
function largest<T>(items: readonly T[], value: (item: T, index: number) => number): number {
  let best = -1;
  let most = 0;
  items.forEach((item, index) => {
    const own = value(item, index);
    if (own > 0 && own >= most) [best, most] = [index, own];
  });
  return best;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
