import { createHash } from "node:crypto";
import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { extractReport } from "../../src/report/report-data.ts";
import { renderRun } from "../../src/report/run-report.ts";
import { resultKinds, type ResultKind } from "../../src/results/result-kinds.ts";
import { everyKind, runOf } from "./run-sample.ts";
import { sampleReport, sampleSweep } from "./report-sample.ts";
import { resultSamples } from "./result-samples.ts";
import { selfTest } from "./self-test-sample.ts";

const kinds = Object.keys(resultKinds) as ResultKind[];
const flat = (text: string | null | undefined): string => (text ?? "").replace(/\s+/g, " ").trim();

describe("the report of a run", () => {
  const run = everyKind();
  const page = renderRun(run);
  const { document } = parseHTML(page);

  it("takes every kind of result", () => {
    expect(run.skipped).toEqual([]);
    expect(run.documents).toHaveLength(kinds.length);
  });

  it.each(kinds)("shows a %s: verdict lines, a table with its numbers, settings", (kind) => {
    const section = [...document.querySelectorAll("section.result")].find((found) =>
      flat(found.querySelector(".kicker")?.textContent).endsWith(`· ${kind}.json`),
    );
    expect(section?.querySelector("h2")?.textContent).not.toBe("");
    expect(section?.querySelectorAll(".findings li .badge").length).toBeGreaterThan(0);
    const rows = [...(section?.querySelectorAll("tbody tr") ?? [])];
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      const heads = row.closest("table")?.querySelectorAll("thead th");
      expect(row.querySelectorAll("th,td").length).toBe(heads?.length);
    }
    expect(section?.querySelectorAll(".facts dt").length).toBeGreaterThan(0);
    expect(flat(section?.textContent)).not.toMatch(/undefined|NaN|\[object|cannot be drawn/);
  });

  it("asks every question in the header, each leading to its section", () => {
    const links = [...document.querySelectorAll("header table tbody th a")];
    const ids = new Set([...document.querySelectorAll("main > section")].map(({ id }) => id));
    expect(links.length).toBeGreaterThanOrEqual(kinds.length);
    for (const link of links) expect(ids.has(link.getAttribute("href")?.slice(1) ?? "")).toBe(true);
    expect(flat(document.querySelector(".lede")?.textContent)).toContain("explained by a control");
  });

  it("says which control explains a score", () => {
    const one = parseHTML(
      renderRun(
        runOf({
          "sweep.json": {
            ...sampleSweep(),
            verdict: { finding: "explained", text: "Explained: a bag of tokens scores as well." },
          },
        }),
      ),
    ).document;
    expect(flat(one.querySelector(".verdicts .badge")?.textContent)).toBe("◇ explained");
    expect(flat(one.querySelector("#r1")?.textContent)).toContain(
      "Explained: a bag of tokens scores as well.",
    );
    expect(flat(one.querySelector(".lede")?.textContent)).toContain("the answer is: explained by a control");
  });

  it("is the same for the same run", () => {
    expect(renderRun(everyKind())).toBe(page);
  });

  it("keeps the page of a first run and adds what else is in its folder", () => {
    const both = parseHTML(
      renderRun(runOf({ "result.json": sampleReport(), "more/roc.json": resultSamples()["roc-curve"] })),
    ).document;
    const ids = [...both.querySelectorAll("main > section")].map(({ id }) => id);
    expect(ids.slice(0, 7)).toEqual(["captured", "answers", "reading", "steering", "tokens", "limits", "r1"]);
    expect(flat(both.querySelector("header h2")?.textContent)).toBe("Further results of this folder");
    expect(flat(both.querySelector("#r1 .kicker")?.textContent)).toBe("ROC curve · more/roc.json");
  });

  it("names skipped files with the reason", () => {
    const named = parseHTML(
      renderRun(runOf({ "sweep.json": sampleSweep(), "cut.json": '{"kind":' })),
    ).document;
    expect(flat(named.querySelector("#files")?.textContent)).toMatch(
      /cut\.json\s*not whole JSON, cut or changed/,
    );
  });
});

describe("the documents in a page", () => {
  it("come back byte for byte: spaces, line ends, byte order mark, escapes and closing tags", () => {
    const sweep = JSON.stringify(sampleSweep(), null, 3);
    const files = {
      "crlf.json": `${sweep.replaceAll("\n", "\r\n")}\r\n\r\n`,
      "mark.json": `\ufeff${sweep}`,
      "folder/escaped.json": sweep.replace('"truth"', String.raw`"\u003c/script>\ud800 \u2028 \/\/ 👩‍🚀"`),
      "raw.json": sweep.replace('"truth"', '"</script><!--<script> \u2028 \u202e // http://example.org"'),
    };
    const run = runOf(files);
    expect(run.skipped).toEqual([]);
    const page = renderRun(run);
    const { documents, leftOut } = extractReport(page);
    expect(Object.fromEntries(documents.map(({ file, text }) => [file, text]))).toEqual(files);
    expect(leftOut).toEqual([]);
    expect(page).not.toMatch(/\/\/|[\u202a-\u202e\u2066-\u2069]/);
  });
});

describe("documents beside the results", () => {
  it("a self-test shows the fingerprint, every check and what cannot be relied on", () => {
    const document = selfTest();
    const page = parseHTML(renderRun(runOf({ "selftest.json": document }))).document;
    const text = flat(page.querySelector("#checks")?.textContent);
    expect(text).toContain("1 of 2 checks passed, 1 failed");
    expect(text).toContain(document.fingerprint.hash);
    expect(text).toContain("Not to be relied on: steering (S4 failed).");
    expect(text).toContain("layers come as asked");
    expect(text).toContain("✗ fail");
  });

  it("provenance gives the commands, and a result that was changed since is named", () => {
    const sweep = `${JSON.stringify(sampleSweep())}\n`;
    const provenance = (sha256: string) => ({
      format: "residua-provenance",
      schemaVersion: 1,
      file: "sweep.json",
      sha256,
      command: "npx residua sweep data --label truth --out sweep.json",
      inputs: [{ role: "dataset", path: "data", sha256: "a".repeat(64) }],
      versions: { residua: "0.1.0" },
      settings: { backend: "wasm" },
      createdAt: "2026-11-30T15:00:00.000Z",
      seconds: 12.3,
    });
    const rerun = (sha256: string): string =>
      flat(
        parseHTML(
          renderRun(runOf({ "sweep.json": sweep, "sweep.provenance.json": provenance(sha256) })),
        ).document.querySelector("#rerun")?.textContent,
      );
    const true256 = createHash("sha256").update(sweep).digest("hex");
    expect(rerun(true256)).toContain("npx residua sweep data --label truth --out sweep.json");
    expect(rerun(true256)).toContain("backend wasm");
    expect(rerun(true256)).not.toContain("Changed since");
    expect(rerun("b".repeat(64))).toContain("Changed since: sweep.json");
  });

  it("a result without provenance says that its making is not recorded", () => {
    const page = parseHTML(renderRun(runOf({ "sweep.json": sampleSweep() }))).document;
    expect(flat(page.querySelector("#rerun")?.textContent)).toContain(
      "Not recorded: how sweep.json came about",
    );
  });
});
