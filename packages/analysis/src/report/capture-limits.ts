import { html, preformatted, type Markup } from "../plots/html-markup.ts";
import type { ReportInput } from "./report-schema.ts";

/** The limit on captured numbers at work: the sum, and both refusals word by word. */
export function limitsSection({ limits }: ReportInput): Markup | undefined {
  if (limits === undefined) return undefined;
  const { asked, sum, limit } = limits;
  const big = (value: number): string => value.toLocaleString("en");
  const over = sum - limit;
  return html`<section id="limits">
    <h2>A request too large, refused</h2>
    <p>
      One capture may hold at most ${big(limit)} numbers. To show the guard at work, this run asked the model
      id “${asked.model}” for more. The sum is done before anything is sent:
    </p>
    <p class="sum">
      ${big(asked.layers)} <small>layers</small> × ${big(asked.positions)} <small>positions</small> ×
      ${big(asked.hiddenSize)} <small>numbers a row</small> = ${big(sum)}
      <small>
        ${over > 0 ? html`${big(over)} over the limit of ${big(limit)}` : html`${big(-over)} under the limit of ${big(limit)}`}</small
      >
    </p>
    <p>What would fit: ${limits.wouldFit}</p>
    <h3>Refused here, before sending</h3>
    <pre>${preformatted(limits.refusedByLens)}</pre>
    <h3>Refused by the server, when the same request is sent raw</h3>
    <pre>${preformatted(limits.refusedByServer)}</pre>
  </section>`;
}
