import { createHash } from "node:crypto";
import fc from "fast-check";
import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { extractReport } from "../../src/report/report-data.ts";
import { renderRun } from "../../src/report/run-report.ts";
import { sampleSweep } from "./report-sample.ts";
import { resultSamples } from "./result-samples.ts";
import { everyKind, runOf } from "./run-sample.ts";

const flat = (text: string | null | undefined): string => (text ?? "").replace(/\s+/g, " ").trim();

describe("documents that have no room", () => {
  it("are compressed where the page has no room for their text, and come back all the same", () => {
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `s${i}.json`,
        JSON.stringify({ ...sampleSweep(), seed: i }, null, 4),
      ]),
    );
    const page = renderRun(runOf(files), { limit: 300_000 });
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(300_000);
    const { documents, leftOutCount } = extractReport(page);
    expect(documents.length + leftOutCount).toBe(30);
    expect(documents.length).toBeGreaterThan(20);
    for (const { file, text } of documents) expect(text).toBe(files[file]);
  });

  it("that had no room are named with their hash, and the page says so", () => {
    const noise = (i: number): string =>
      JSON.stringify({
        ...resultSamples().direction,
        vector: Array.from({ length: 20_000 }, () => Math.random()),
        seed: i,
      });
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`d${i}.json`, noise(i)]));
    const page = renderRun(runOf(files));
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(2_000_000);
    const { documents, leftOut, leftOutCount } = extractReport(page);
    expect(leftOutCount).toBeGreaterThan(0);
    expect(leftOut).toHaveLength(leftOutCount);
    expect(documents.length + leftOutCount).toBe(12);
    for (const { file, sha256, bytes } of leftOut) {
      expect(sha256).toBe(
        createHash("sha256")
          .update(files[file] ?? "")
          .digest("hex"),
      );
      expect(bytes).toBe(Buffer.byteLength(files[file] ?? ""));
    }
    const { document } = parseHTML(page);
    expect(flat(document.querySelector("#files")?.textContent)).toContain("had no room");
  });
});

describe("the size of a page", () => {
  it("stays under the limit with very many results, and says what is left out", () => {
    const sweep = JSON.stringify(sampleSweep());
    const run = runOf(
      Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`run-${i}/sweep.json`, sweep])),
    );
    const page = renderRun(run);
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(2_000_000);
    const text = flat(parseHTML(page).document.querySelector("main")?.textContent);
    expect(text).toContain("more rows are not shown here, for the size of the page");
    expect(text).toContain("documents had no room and are left out");
  });

  it("stays under the limit whatever the texts are", () => {
    const hostile = fc.constantFrom(
      "&".repeat(10_000),
      "\u200b".repeat(10_000),
      "</script><script>alert(1)</script>".repeat(300),
      "\ud800".repeat(5000),
    );
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 2 }), (text, copies) => {
        const samples = Object.entries(resultSamples(text));
        const files = Array.from({ length: copies }, (_, i) =>
          samples.map(([kind, result]) => [`${"x".repeat(100)}${i}/${kind}.json`, result] as const),
        ).flat();
        const page = renderRun(runOf(Object.fromEntries(files)), { limit: 700_000 });
        expect(Buffer.byteLength(page)).toBeLessThanOrEqual(700_000);
      }),
      { numRuns: 4 },
    );
  });
});

describe("texts from outside", () => {
  /** What a picture is made of depends on where its texts have room; nothing of it acts. */
  const drawn = new Set(["SPAN", "BR", "TEXT", "TSPAN", "G", "LINE", "PATH"]);
  const shape = (markup: string): string[] =>
    [...parseHTML(markup).document.querySelectorAll("*")].map(({ tagName }) => tagName.toUpperCase()).sort();
  const quiet = (names: string[]): string[] => names.filter((name) => !drawn.has(name));

  it("never become elements, whichever kind of result holds them", () => {
    const plain = quiet(shape(renderRun(everyKind("plain"), { limit: 1e9 })));
    for (const text of [
      `</script><script>alert(1)</script><img src="https://example.org/x" onerror=x>`,
      `"><svg onload=x>]]></title></style>`,
      "\u202e\u2066evil\u0000\u0007\ud800 👩‍🚀",
      "</textarea><!--`",
    ]) {
      const page = renderRun(everyKind(text), { limit: 1e9 });
      expect(quiet(shape(page))).toEqual(plain);
      expect(page).not.toMatch(/\/\/|[\u202a-\u202e\u2066-\u2069]/);
    }
  });

  it("never become elements as names of the run, of files and of reasons", () => {
    const name = `</title><script>alert(1)</script>"'><img src=x>\u202e`;
    const run = runOf({ [`${name}.json`]: sampleSweep() }, name);
    run.skipped.push({ file: name, reason: name });
    const { document } = parseHTML(renderRun(run));
    expect(document.querySelectorAll("script")).toHaveLength(2);
    expect(document.querySelector("img")).toBeNull();
    expect(document.querySelector("h1")?.textContent).toContain("</title><script>");
  });
});
