import fc from "fast-check";
import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { jupyterDisplay } from "../../src/plots/svg-figure.ts";
import { tokenStrip } from "../../src/plots/token-strip.ts";

const parse = (markup: string) => parseHTML(`<!doctype html><html><body>${markup}</body></html>`).document;

describe("tokenStrip", () => {
  const strip = tokenStrip({
    tokens: [
      { id: 5, text: "Paris" },
      { id: 6, text: " is\n" },
      { id: null, text: null, role: "generated" },
      { id: 7, text: "" },
    ],
    scores: [-4, 1, null, 2],
    label: "truth",
    above: "true",
    below: "false",
  });

  it("colours around the threshold and says position, id, text and score", () => {
    const spans = [...parse(strip.inline()).querySelectorAll(".t")];
    expect(spans.map((span) => span.className)).toEqual(["t b4", "t a1", "t g", "t a2"]);
    expect(spans[0]?.getAttribute("data-tip")).toBe("position 0, id 5\n“Paris”\nscore −4.00");
    expect(spans[2]?.getAttribute("data-tip")).toBe("position 2, generated, id unknown\nno text\nno score");
    expect(spans.every((span) => span.getAttribute("tabindex") === "0")).toBe(true);
    expect(spans[0]?.querySelector(".sr")?.textContent).toContain("position 0, id 5, score −4.00");
  });

  it("makes white space visible and breaks the line after a line break", () => {
    const second = parse(strip.inline()).querySelectorAll(".t")[1];
    expect([...(second?.querySelectorAll(".w") ?? [])].map((mark) => mark.textContent)).toEqual(["·", "↵"]);
    expect(second?.nextElementSibling?.tagName).toBe("BR");
  });

  it("states the ends of the scale and the threshold", () => {
    const shown = parse(strip.inline()).querySelector(".key")?.textContent.replace(/\s+/g, " ");
    expect(shown).toContain("truth: −4.00 0.00 4.00");
    expect(shown).toContain("dotted, under 0.00: false; solid, over it: true");
  });

  it("takes a threshold and a fixed extent, so that strips compare", () => {
    const at = (score: number) =>
      parse(
        tokenStrip({ tokens: [{ id: 1, text: "a" }], scores: [score], label: "x", threshold: 10, extent: 4 })
          .html,
      )
        .querySelector(".t")
        ?.getAttribute("class");
    expect([at(10), at(10.5), at(14), at(99), at(9), at(6)]).toEqual([
      "t",
      "t a1",
      "t a4",
      "t a4",
      "t b1",
      "t b4",
    ]);
  });

  it("shows itself in a notebook, counts what it does not show, and refuses scores that do not match", () => {
    expect(strip[jupyterDisplay]()["text/html"]).toContain("<style>");
    const tokens = Array.from({ length: 30 }, (_, id) => ({ id, text: "x" }));
    const scores = tokens.map(() => 0);
    expect(tokenStrip({ tokens, scores, label: "x", maxTokens: 10 }).html).toContain(
      "20 more tokens, not shown",
    );
    expect(() => tokenStrip({ tokens, scores: [1], label: "x" })).toThrow(
      /30 tokens need as many scores, 1 were given/,
    );
  });

  it("lets no text break out", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        `"><script>x</script>`,
        "</span></div>",
        "<!--",
        "\u202e\u0000",
        "' onfocus='x",
        "x".repeat(10_000),
      ),
    );
    fc.assert(
      fc.property(hostile, hostile, (text, label) => {
        const one = tokenStrip({ tokens: [{ id: 1, text }], scores: [1], label, above: label, below: label });
        const document = parse(one.inline());
        expect(document.body.children).toHaveLength(1);
        expect(document.querySelectorAll(".t")).toHaveLength(1);
        const names = new Set([...document.querySelectorAll("body *")].map(({ tagName }) => tagName));
        expect([...names].filter((name) => !["DIV", "SPAN", "P", "I", "BR"].includes(name))).toEqual([]);
        const attributes = [...document.querySelectorAll("body *")].flatMap((node) =>
          node.getAttributeNames(),
        );
        expect(attributes.filter((name) => name.startsWith("on"))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
