import { escapeHtml, Markup } from "@residua/analysis/plots";

/** A text exactly as it is, for the value of a field: what comes back is what was there. */
export function rawText(text: string): Markup {
  return new Markup(escapeHtml(text));
}
