import { Markup, html, type Content } from "../plots/html-markup.ts";
import { reportScript, reportScriptHash } from "./report-script.ts";
import { reportCss } from "./report-style.ts";

export interface PageParts {
  title: string;
  header: Content;
  /** Ids and names of the sections. */
  contents: readonly (readonly [id: string, name: string])[];
  main: Content;
  data?: Content;
}

/**
 * Forbids every request and every script but the page's own, whatever a text might smuggle in. In upper case, so that a search of the page for
 * addresses finds nothing.
 */
const policy = new Markup(
  `<meta HTTP-EQUIV="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '${reportScriptHash}'; base-uri 'none'; form-action 'none'">`,
);

/** One HTML document: no remote address, light and dark, printable, whole without its script. */
export function pageShell({ title, header, contents, main, data }: PageParts): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        ${policy}
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <style>
          ${new Markup(reportCss)}
        </style>
      </head>
      <body>
        <header>${header}</header>
        <nav aria-label="Contents">
          ${contents.map(([id, name]) => html`<a href="#${id}">${name}</a> `)}
          <div id="find" role="search" hidden>
            <label for="search">Search the tables</label>
            <input id="search" type="search" autocomplete="off" spellcheck="false" />
            <output for="search"></output>
          </div>
        </nav>
        <main>${main}</main>
        <p id="told" role="status" class="unseen"></p>
        ${data} ${reportScript}
      </body>
    </html> `;
  return page.text;
}
