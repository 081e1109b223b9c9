import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bodyExcerpt } from "../../src/transport/error-body.ts";
import { redactorOf } from "../../src/transport/redactor.ts";

const printable = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c)),
  minLength: 12,
  maxLength: 60,
});
// Full of what each way of writing changes.
const odd = fc
  .string({ unit: fc.constantFrom(..."\"\\/'<>&%+=:?# ~!*()aZ9-_"), minLength: 12, maxLength: 40 })
  .filter((key) => key.trim() === key && new Set(key).size > 4);
const keys = fc.oneof(printable, odd);

/** How servers and proxies write a key back, and how to read it again. */
const writings: Readonly<Record<string, (key: string) => string>> = {
  plain: (key) => key,
  json: (key) => JSON.stringify({ echo: `Bearer ${key}` }),
  "json in json": (key) => JSON.stringify({ raw: JSON.stringify({ key }) }),
  "percent-encoded": (key) => `/path?key=${encodeURIComponent(key)}`,
  "as a form": (key) => new URLSearchParams({ key }).toString(),
  html: (key) => `<p>${key.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</p>`,
  "html with quotes": (key) =>
    `<a b="${key.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;")}">`,
  base64: (key) => Buffer.from(key).toString("base64"),
  "base64 of the header": (key) => Buffer.from(`Bearer ${key}`).toString("base64"),
  "base64 of more": (key) => Buffer.from(`{"a":1,"k":"${key}"}..`).toString("base64"),
  base64url: (key) => Buffer.from(`xx${key}`).toString("base64url"),
};

describe("redactorOf", () => {
  it.each(Object.keys(writings))("hides a key that comes back %s (property)", (name) => {
    const write = writings[name] ?? String;
    fc.assert(
      fc.property(keys, fc.nat(40), (key, pad) => {
        const text = `${".".repeat(pad)} ${write(key)} tail`;
        const shown = redactorOf([key])(text);
        expect(shown).toContain("***");
        if (name.startsWith("base64")) {
          // Nothing that is left decodes to a piece of it, at any of the four beginnings.
          for (let from = 0; from < shown.length; from++) {
            const decoded = Buffer.from(shown.slice(from).split("***")[0] ?? "", "base64").toString("latin1");
            for (let i = 0; i + 8 <= key.length; i++) expect(decoded).not.toContain(key.slice(i, i + 8));
          }
        } else expect(shown).not.toContain(key);
      }),
      { numRuns: 200 },
    );
  });

  it("hides a key that is cut anywhere by the server or by the excerpt's edge (property)", () => {
    fc.assert(
      fc.property(printable, fc.nat(17_000), fc.nat(60), (key, pad, cut) => {
        const redact = redactorOf([key]);
        const kept = Math.min(cut, key.length);
        const byServer = redact(`${" ".repeat(pad % 50)}key: ${key.slice(0, kept)}`);
        if (kept >= 6) expect(byServer).not.toContain(key.slice(0, 6));
        // Many keys in a row shrink, so that the raw edge comes into view.
        const body = `${"x".repeat(pad)}${key.repeat(1 + Math.floor(20_000 / key.length))}`;
        const excerpt = bodyExcerpt(body, redact);
        expect(excerpt.length).toBeLessThanOrEqual(2000);
        expect(excerpt.replaceAll("x", "")).not.toContain(key.replaceAll("x", "").slice(0, 6));
      }),
      { numRuns: 300, examples: [["abcdefghijklmnop", 0, 7]] },
    );
  });

  it("leaves other text as it is, and takes no secrets and empty ones", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(redactorOf([])(text)).toBe(text);
        expect(redactorOf([""])(text)).toBe(text);
        expect(redactorOf(["a key that no text has, by any luck"])(text)).toBe(text);
      }),
    );
  });
});
