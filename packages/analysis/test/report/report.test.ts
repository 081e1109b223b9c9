import { createHash } from "node:crypto";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decimals, intervalText, percent } from "../../src/plots/plot-format.ts";
import { layerRanges } from "../../src/report/report-captured.ts";
import { extractReport } from "../../src/report/report-data.ts";
import { reportInputSchema } from "../../src/report/report-schema.ts";
import { renderReport, writeReport } from "../../src/report/report.ts";
import { sampleReport } from "./report-sample.ts";

const page = renderReport(sampleReport());
const { document } = parseHTML(page);
const absent = { value: null, low: null, high: null };
const flat = (text: string | undefined | null): string => (text ?? "").replace(/\s+/g, " ").trim();

describe("renderReport", () => {
  it("has its sections in order, each reachable from the contents", () => {
    const ids = [...document.querySelectorAll("main > section")].map(({ id }) => id);
    expect(ids).toEqual([
      "captured",
      "answers",
      "reading",
      "steering",
      "tokens",
      "limits",
      "rerun",
      "settings",
      "terms",
      "files",
    ]);
    const links = [...document.querySelectorAll("nav a")].map((link) => link.getAttribute("href"));
    expect(links).toEqual(ids.map((id) => `#${id}`));
  });

  it("leaves out the sections that have nothing to say", () => {
    const rest = sampleReport();
    delete rest.limits;
    const small = parseHTML(renderReport({ ...rest, strips: [] })).document;
    expect(small.querySelector("#limits, #tokens, nav a[href='#limits'], nav a[href='#tokens']")).toBeNull();
  });

  it("prints how often the model is right by itself, with the interval", () => {
    const [answer] = sampleReport().answers ?? [];
    const row = flat(document.querySelector("#answers tbody tr")?.textContent);
    expect(row).toContain(answer?.title);
    expect(row).toContain(
      `${percent(answer?.right.value ?? 0)}${intervalText(answer?.right ?? absent, percent)}`,
    );
  });

  it("prints every AUROC and accuracy of the sweep with its interval and its controls in the same row", () => {
    const auroc = decimals(3);
    const rows = [...document.querySelectorAll("#reading tbody tr")].map((row) => flat(row.textContent));
    sampleReport().sweep.layers.forEach(({ probes, controls }, index) => {
      for (const { score: estimate, metrics } of probes) {
        const { accuracy } = metrics;
        expect(rows[index]).toContain(`${auroc(estimate.value ?? 0)}${intervalText(estimate, auroc)}`);
        expect(rows[index]).toContain(
          `${percent(accuracy?.value ?? 0)}${intervalText(accuracy ?? estimate, percent)}`,
        );
      }
      expect(rows[index]).toContain(intervalText(controls.shuffledLabels, auroc));
      expect(rows[index]).toContain(intervalText(controls.randomDirection, auroc));
    });
    expect(rows[3]).toMatch(/^3 \(chosen\)/);
    const held = sampleReport().heldOut?.layers[3]?.auroc;
    expect(rows[3]).toContain(intervalText(held ?? absent, auroc));
  });

  it("prints every share of the steering evaluation with its interval and its twins in the same row", () => {
    const tables = [...document.querySelectorAll("#steering table")].map((table) =>
      [...table.querySelectorAll("tbody tr")].map((row) => flat(row.textContent)),
    );
    const { scales, twins } = sampleReport().steering;
    scales.forEach(({ scale, toFirst, toSecond, valid, shift, controlShift, perplexity }, index) => {
      for (const estimate of [toFirst, toSecond])
        expect(tables[0]?.[index]).toContain(intervalText(estimate, percent));
      expect(tables[1]?.[index]).toContain(intervalText(valid, percent));
      for (const estimate of [shift, controlShift]) {
        expect(tables[1]?.[index]).toContain(intervalText(estimate, decimals(2)));
      }
      expect(tables[1]?.[index]).toContain(`×${perplexity?.ratio.toFixed(2)}`);
      const twin = twins.find((entry) => entry.scale === scale);
      if (twin === undefined) return;
      for (const estimate of [twin.toFirst, twin.toSecond, twin.flipped]) {
        expect(tables[0]?.[index]).toContain(intervalText(estimate, percent));
      }
      expect(tables[0]?.[index]).toContain(percent(twin.max));
      expect(tables[1]?.[index]).toContain(intervalText(twin.valid, percent));
    });
  });

  it("shows the refused request with its sum, both refusals, the commands and the versions", () => {
    const shown = flat(document.querySelector("#limits")?.textContent);
    expect(shown).toContain("3 layers × 683 positions × 16,384 numbers a row = 33,570,816");
    expect(shown).toContain("16,384 over the limit of 33,554,432");
    const refusals = [...document.querySelectorAll("#limits pre")].map((node) => node.textContent);
    expect(refusals).toEqual([sampleReport().limits?.refusedByLens, sampleReport().limits?.refusedByServer]);
    expect(document.querySelector("#rerun pre")?.textContent).toBe(
      "npm start\nnpx residua report runs/first-run",
    );
    expect(flat(document.querySelector("#settings")?.textContent)).toContain("All steps 31.0 s");
  });

  it("describes its pictures and is small", () => {
    const pictures = [...document.querySelectorAll("figure svg")];
    expect(pictures).toHaveLength(2);
    for (const picture of pictures) {
      expect(picture.getAttribute("role")).toBe("img");
      expect(picture.getAttribute("aria-label")?.length).toBeGreaterThan(80);
      expect(picture.querySelector("title")?.textContent).not.toBe("");
    }
    expect(
      [...document.querySelectorAll("figcaption")].every(({ textContent }) => /n = \d/.test(textContent)),
    ).toBe(true);
    expect(new TextEncoder().encode(page).byteLength).toBeLessThan(300_000);
  });

  it("names no remote address, runs no script but its own and forbids every request", () => {
    expect(page).not.toMatch(/http|\/\/|url\(|@import|src=/);
    const [data, script, ...more] = document.querySelectorAll("script");
    expect(data?.getAttribute("type")).toBe("application/json");
    expect(more).toEqual([]);
    const hash = createHash("sha256")
      .update(script?.textContent ?? "")
      .digest("base64");
    expect(page).toContain(
      `content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
    );
    expect(
      [...document.querySelectorAll("[href]")].every((node) => node.getAttribute("href")?.startsWith("#")),
    ).toBe(true);
  });

  it("gives the exact input back from the page", () => {
    const { documents, leftOut } = extractReport(page);
    expect(documents.map(({ file }) => file)).toEqual(["result.json"]);
    expect(JSON.parse(documents[0]?.text ?? "")).toEqual(sampleReport());
    expect(leftOut).toEqual([]);
  });

  it("lets no text break out, wherever it stands", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary", minLength: 1 }),
      fc.constantFrom(
        `</script><script>alert(1)</script><img src="https://example.org/x" onerror=x>`,
        `"><svg onload=x>]]></title></style>`,
        "\u202e\u2066evil\u0000\u0007\ud800 👩‍🚀",
        "x".repeat(10_000),
        "</textarea><!--${'`'}",
      ),
    );
    const shape = (markup: string): string[] =>
      [...parseHTML(markup).document.querySelectorAll("*")].map(({ tagName }) => tagName).sort();
    const plain = renderReport(withText("plain"));
    fc.assert(
      fc.property(hostile, (text) => {
        const rendered = renderReport(withText(text));
        // Line breaks in preformatted or token text may add marks; elements that act must stay as they are.
        const acting = (name: string): boolean => !["SPAN", "BR", "TEXT"].includes(name.toUpperCase());
        expect(shape(rendered).filter(acting)).toEqual(shape(plain).filter(acting));
        expect(rendered).not.toMatch(/\/\/|[\u202a-\u202e\u2066-\u2069]/);
        const result = extractReport(rendered).documents[0]?.text ?? "";
        expect(JSON.parse(result)).toEqual(JSON.parse(JSON.stringify(withText(text))));
        expect(rendered.length).toBeLessThan(700_000);
      }),
      { numRuns: 25 },
    );
  });

  it("refuses input that does not fit, naming the field", () => {
    const input = sampleReport();
    const limits = input.limits && { ...input.limits, sum: 1 };
    expect(() => renderReport({ ...input, ...(limits && { limits }) })).toThrow(
      /sum must be layers × positions/,
    );
    const strips = input.strips.map((strip) => ({ ...strip, scores: [1] }));
    expect(() => renderReport({ ...input, strips })).toThrow(/one score for each token/);
    expect(reportInputSchema.safeParse({ ...input, createdAt: "yesterday" }).success).toBe(false);
  });
});

/** The sample with `text` wherever a text stands that comes from outside. */
function withText(text: string) {
  const input = sampleReport();
  const [strip] = input.strips;
  const result = {
    ...input,
    title: text,
    model: { ...input.model, id: text, checkpoint: text },
    dataset: {
      ...input.dataset,
      selection: text,
      folder: text,
      checks: [{ code: text, status: text, detail: text }],
    },
    strips: strip ? [{ ...strip, title: text, score: text, above: text, label: text, answer: text }] : [],
    settings: { setting: text },
    versions: { version: text },
    rerun: [text],
    timings: [{ step: text, seconds: 1 }],
  };
  for (const token of result.strips[0]?.tokens ?? []) token.text = text;
  result.sweep.label = text;
  result.sweep.group = text;
  result.sweep.notes = [text];
  result.steering.choices = [text, text];
  result.steering.directionMethod = text;
  result.steering.notes = [text];
  if (result.limits) {
    result.limits.asked.model = text;
    result.limits.wouldFit = text;
    result.limits.refusedByLens = text;
    result.limits.refusedByServer = text;
  }
  return result;
}

describe("layerRanges", () => {
  it("joins runs", () => {
    expect(layerRanges([5, 0, 1, 2, 8])).toBe("0 to 2, 5, 8");
  });
});

describe("writeReport", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "residua-report-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("writes the whole page and leaves nothing else behind", async () => {
    const to = join(folder, "report.html");
    expect(await writeReport(sampleReport(), to)).toBe(to);
    expect(await readFile(to, "utf8")).toBe(page);
    expect(await readdir(folder)).toEqual(["report.html"]);
  });

  it("fails with a stable code where it cannot write", async () => {
    await expect(writeReport(sampleReport(), join(folder, "absent", "report.html"))).rejects.toMatchObject({
      code: expect.any(String) as string,
    });
  });
});
