import { Markup, html } from "../plots/html-markup.ts";
import type { Figure } from "../plots/svg-figure.ts";

/** A drawing in a box that scrolls on narrow screens, with its caption. A result that cannot be drawn says why, and its table stays. */
export function figureMarkup(draw: () => Figure): Markup {
  return drawn(() => {
    const figure = draw();
    return html`<figure>
      <div class="scroll" tabindex="0" role="group" aria-label="Picture, scrolls sideways">
        ${new Markup(figure.inline())}
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
