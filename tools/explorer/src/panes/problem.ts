import { html, type Markup, preformatted } from "@residua/analysis/plots";
import type { Explained } from "./explain-error.ts";

/** An error in the place of a result. */
export function problem({ title, message, advice }: Explained): Markup {
  return html`<section class="problem" data-status="${title}.">
    <h2>${title}</h2>
    <p>${preformatted(message)}</p>
    ${advice !== null && html`<p>${advice}</p>`}
  </section>`;
}
