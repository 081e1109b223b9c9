import fc from "fast-check";
import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { escapeHtml, escapeJson, plainText, tokenText } from "../../src/plots/html-text.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("<", ">", "&", '"', "'", "`", "/", "!", "-", "\u202e", "\ud800", "\u0000", "a"),
  }),
);

describe("plainText", () => {
  it("makes control, reordering and zero-width characters visible", () => {
    expect(plainText("a\u0000b\u007f\u0085\u202ec\u200b\ufeff")).toBe(
      "a␀b␡[U+0085][U+202E]c[U+200B][U+FEFF]",
    );
  });

  it("folds white space and keeps scripts and joined emoji", () => {
    expect(plainText("a \t\n b שלום 👩‍🚀 👍🏽")).toBe("a b שלום 👩‍🚀 👍🏽");
  });

  it("replaces lone surrogates", () => {
    expect(plainText("a\ud800b\udc00")).toBe("a\ufffdb\ufffd");
  });

  it("cuts long text at a whole character and says how long it was", () => {
    expect(plainText("😀".repeat(10_000), 3)).toBe("😀😀😀… (20,000 characters)");
    expect(plainText("abc", 3)).toBe("abc");
  });

  it("leaves nothing that XML forbids or that reorders text", () => {
    fc.assert(
      fc.property(text, (value) => {
        const shown = plainText(value, 10_000);
        expect(shown).not.toMatch(/\p{Surrogate}/u);
        expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/);
      }),
    );
  });
});

describe("tokenText", () => {
  it("keeps white space for the caller to mark", () => {
    expect(tokenText(" a\n\t\u0001")).toBe(" a\n\t␁");
  });
});

describe("escapeHtml", () => {
  it("comes back as the same text, from content and from attributes", () => {
    fc.assert(
      fc.property(text, (value) => {
        const shown = plainText(value, 10_000);
        const safe = escapeHtml(shown);
        expect(safe).not.toMatch(/[<>"'`]|\/\//);
        const { document } = parseHTML(
          `<!doctype html><html><body><p title="${safe}">${safe}</p></body></html>`,
        );
        expect(document.querySelectorAll("body *")).toHaveLength(1);
        expect(document.querySelector("p")?.textContent).toBe(shown);
        expect(document.querySelector("p")?.getAttribute("title")).toBe(shown);
      }),
    );
  });
});

describe("escapeJson", () => {
  it("parses to the same value and holds nothing that ends a script or names an address", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const safe = escapeJson(value);
        expect(JSON.parse(safe)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(safe).not.toMatch(/[<>&\u202a-\u202e]|\/\//);
      }),
    );
    expect(escapeJson("</script><!--")).toBe('"\\u003c/script\\u003e\\u003c!--"');
  });
});
