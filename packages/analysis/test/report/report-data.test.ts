import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataElement, extractReport, hashedFile, type DataForm } from "../../src/report/report-data.ts";

const element = (files: Record<string, string>, form: DataForm = "text"): string => {
  const documents = Object.entries(files).map(([file, text]) => hashedFile({ file, text }));
  return dataElement(
    documents,
    documents.map(() => form),
  ).text;
};
/** Changes the JSON of a data element. */
const forged = (change: (data: { documents: Record<string, unknown>[] }) => void): string => {
  const page = element({ "a.json": "{}" });
  const [start, end] = [page.indexOf(">") + 1, page.lastIndexOf("<")];
  const data = JSON.parse(page.slice(start, end)) as { documents: Record<string, unknown>[] };
  change(data);
  return page.slice(0, start) + JSON.stringify(data) + page.slice(end);
};

describe("extractReport", () => {
  it("gives back any text, plain or compressed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom<DataForm>("text", "gzip"), (any, form) => {
        const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(any));
        expect(extractReport(`<p>${element({ "a.json": text }, form)}`).documents).toEqual([
          { file: "a.json", text },
        ]);
      }),
    );
  });

  it("names what was left out", () => {
    const { documents, leftOut, leftOutCount } = extractReport(element({ "a.json": "{}" }, "out"));
    expect([documents.length, leftOutCount, leftOut.map(({ file }) => file)]).toEqual([0, 1, ["a.json"]]);
  });

  it.each([
    ["a page without data", "<p>hello", /no report with data in it/],
    ["a cut page", element({ "a.json": "{}" }).slice(0, -12), /cut: its data have no end/],
    [
      "a page cut within",
      element({ "a.json": "{}" }).replace(/.{20}<\/script>/, "</script>"),
      /its data are no JSON/,
    ],
    [
      "another version",
      forged((data) => Object.assign(data, { schemaVersion: 2 })),
      /its data are not as written/,
    ],
    [
      "a changed text",
      forged(({ documents }) => (documents[0]!["text"] = "{ }")),
      /a.json in it was changed/,
    ],
    ["no content", forged(({ documents }) => delete documents[0]!["text"]), /a.json in it has no content/],
    [
      "a broken archive",
      forged(({ documents }) => Object.assign(documents[0]!, { text: undefined, gzip: "AAAA" })),
      /a.json in it cannot be unpacked/,
    ],
    [
      "two of one name",
      forged(({ documents }) => documents.push({ ...documents[0], file: "A.json" })),
      /two documents of one name/,
    ],
  ])("refuses %s", (_, page, message) => {
    expect(() => extractReport(page, "report.html")).toThrow(message);
    expect(() => extractReport(page, "report.html")).toThrow(/^report.html: /);
  });

  it.each([
    "../a.json",
    "/a.json",
    "a/../../b.json",
    "a\\b.json",
    "C:a.json",
    ".ssh/a.json",
    "a/b/c.json",
    "a//b.json",
    "",
  ])("refuses the path %j, which could leave the folder", (file) => {
    expect(() => extractReport(forged(({ documents }) => (documents[0]!["file"] = file)))).toThrow(
      /a file name, or a folder and a file name/,
    );
  });
});
