import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { completionFields } from "../src/requests/request-fields.ts";
import { requestRules } from "../src/requests/request-rules.ts";

const rows = readFileSync(new URL("../README.md", import.meta.url), "utf8")
  .split("\n")
  .map((line) => line.replaceAll(/\s+/g, " "));

it("the README lists every field and rule as the checks have them", () => {
  for (const [name, { allowed, source }] of Object.entries(completionFields)) {
    expect(rows).toContain(`| \`${name}\` | ${allowed} | ${source} |`);
  }
  for (const { name, formula, limit, source } of requestRules) {
    expect(rows).toContain(`| \`${name}\` | ${formula} | ${limit} | ${source} |`);
  }
});
