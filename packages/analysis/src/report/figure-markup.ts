import { Markup, html } from "../plots/html-markup.ts";
import type { Figure } from "../plots/svg-figure.ts";

/** A drawing in a box that scrolls on narrow screens, with its caption. A result that cannot be drawn says why, and its table stays. */
export function figureMarkup(draw: () => Figure): Markup {
  return drawn(() => {
    const figure = draw();
    // Observable Plot names its groups, which only elements with a role may have; the picture as a whole is named.
    const drawing = figure.inline().replaceAll(/(<g\b[^>]*?) aria-label="[^"]*"/g, "$1");
    return html`<figure>
      <div class="scroll" tabindex="0" role="group" aria-label="Picture, scrolls sideways">
        ${new Markup(drawing)}
      </div>
      <figcaption>${figure.caption}</figcaption>
    </figure>`;
  });
}

/** What is drawn, or why it cannot be. */
export function drawn(draw: () => Markup): Markup {
  try {
    return draw();
  } catch (error) {
    return html`<p class="note">This picture cannot be drawn: ${(error as Error).message}</p>`;
  }
}
