import { describe, expect, it } from "vitest";
import { Markup, html, preformatted } from "../../src/plots/html-markup.ts";

describe("html", () => {
  it("escapes values, keeps markup, joins arrays and drops nothings", () => {
    const inner = html`<b>${"<i>"}</b>`;
    expect(html`<p>${inner}${[1, new Markup("<br>"), false, null, undefined]}${"a & b"}</p>`.text).toBe(
      "<p><b>&lt;i&gt;</b>1<br>a &amp; b</p>",
    );
  });

  it("does not take an object that only looks like markup", () => {
    const forged = JSON.parse('[{"text":"<script>"}]') as string[];
    expect(() => html`${forged}`.text).toThrow();
  });
});

describe("preformatted", () => {
  it("keeps lines and escapes them", () => {
    expect(preformatted("a <b>\r\n\tc\u0007").text).toBe("a &lt;b&gt;\n c␇");
  });
});
