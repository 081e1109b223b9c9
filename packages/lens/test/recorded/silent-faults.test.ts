import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { silentFaults, tableRow } from "./silent-faults.ts";

const path = new URL("../../docs/verification.md", import.meta.url);
const lines = readFileSync(path, "utf8")
  .split("\n")
  .map((line) =>
    line
      .split("|")
      .map((cell) => cell.trim())
      .join(" | ")
      .trim(),
  );

describe("silently wrong answers of a real server, as docs/verification.md says", () => {
  it.each(silentFaults)("$what: $recorded", async (fault) => {
    expect(lines).toContain(`| ${(await tableRow(fault)).join(" | ")} |`);
  });

  it("has no line more", () => {
    const begin = lines.findIndex((line) => line.startsWith("| seen in |"));
    const table = lines.slice(begin + 2, lines.indexOf("", begin));
    expect(begin).toBeGreaterThan(0);
    expect(table).toHaveLength(silentFaults.length);
  });
});
