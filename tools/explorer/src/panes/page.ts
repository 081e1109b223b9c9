import { type Content, html, Markup } from "@residua/analysis/plots";
import type { Explorer } from "../explorer.ts";

/** The views, by the last part of their address. */
const views = { tokens: "Tokens", steer: "Steering", rows: "Rows" } as const;
type ViewName = keyof typeof views;

export interface PageParts {
  readonly view: ViewName;
  readonly heading: string;
  readonly lede: Content;
  /** What is asked, as a form. */
  readonly form: Content;
  /** What the form asked for. */
  readonly result: Content;
}

/** A whole page: a view's form, and below it its result. */
export function page(explorer: Explorer, { view, heading, lede, form, result }: PageParts): string {
  const links = Object.entries(views).map(
    ([name, title]) =>
      html`<a href="${name}" ${name === view && new Markup('aria-current="page"')}>${title}</a> `,
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${heading} – Residua explorer</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="explorer.css" />
        <script src="explorer.js" defer></script>
      </head>
      <body>
        <header>
          <p class="name">Residua explorer</p>
          <nav aria-label="Views">${links}</nav>
          ${facts(explorer)}
        </header>
        <main>
          <h1>${heading}</h1>
          <p class="lede">${lede}</p>
          ${form}
          <p id="status" role="status"></p>
          <div id="result">${result}</div>
          ${unreadFiles(explorer)}
        </main>
      </body>
    </html> `.text;
}

function facts({ run, work, serverName }: Explorer): Markup {
  return html`<dl class="facts">
    <div>
      <dt>Model</dt>
      <dd>${work.model}</dd>
    </div>
    <div>
      <dt>Server</dt>
      <dd>${serverName}</dd>
    </div>
    <div>
      <dt>Run</dt>
      <dd>${run === null ? "none" : run.folder}</dd>
    </div>
  </dl>`;
}

function unreadFiles({ run }: Explorer): Content {
  if (run === null || (run.unread.length === 0 && !run.more)) return null;
  return html`<details class="unread">
    <summary>${run.unread.length} files of the run could not be used</summary>
    <ul>
      ${run.unread.map(({ file, reason }) => html`<li><b>${file}</b>: ${reason}</li> `)}
      ${run.more && html`<li>More files or deeper folders are there than were looked at.</li>`}
    </ul>
  </details>`;
}
