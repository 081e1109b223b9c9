import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Model } from "@residua/engine";
import { selfTestChecks } from "@residua/lens";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { explainQuirks } from "../../src/index.ts";
import { loadChatModel } from "../quirks/quirk-support.ts";
import { codesOf, testServer } from "./self-test-support.ts";

const page = fileURLToPath(new URL("../../../../packages/lens/docs/self-test.md", import.meta.url));

/** What no self-test meets: it never steers so that numbers overflow, since that would harm others. */
const unmet = ["nan-poisoning"];

/** Quirks of captures and steering, and of tokens; those of connections and errors are the client's. */
const quirks = explainQuirks().filter(
  // At two profiles act those of captures and steering.
  ({ name, profiles, selfTest }) => (selfTest.length > 0 || profiles.length === 2) && !unmet.includes(name),
);

let model: Model;
beforeAll(async () => {
  // The table must not depend on the prompts that are drawn.
  let drawn = 0;
  vi.spyOn(crypto, "getRandomValues").mockImplementation((into) => {
    if (into instanceof Uint32Array)
      into.forEach((_, i) => (into[i] = Math.imul(++drawn + 77, 2654435761) >>> 7));
    return into;
  });
  vi.spyOn(crypto, "randomUUID").mockImplementation(() => {
    const hex = (Math.imul(++drawn, 2654435761) >>> 0).toString(16).padStart(8, "0");
    return `${hex}-0000-4000-8000-${hex}0000`;
  });
  model = await loadChatModel();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await model.dispose();
});

/** By quirk, the checks that fail. */
const failures = new Map<string, string[]>();

test.each(quirks)("$name is found by $selfTest", async ({ name, selfTest, profiles }) => {
  const profile = profiles.includes("acs") ? "acs" : "vllm";
  const report = await testServer(model, { profile, quirks: [name], intrusive: true });
  const failed = codesOf(report, "fail");
  failures.set(name, failed);
  expect(selfTest.length).toBeGreaterThan(0);
  expect(failed).toEqual(expect.arrayContaining([...selfTest]));
});

test("each check but those of S8, S13, S14, S16 and S19 is for a quirk", () => {
  const found = new Set(explainQuirks().flatMap(({ selfTest }) => selfTest));
  const without = selfTestChecks.map(({ code }) => code).filter((code) => !found.has(code));
  expect(without).toEqual(["S8", "S13", "S14", "S16", "S19"]);
});

/** Written anew with RESIDUA_WRITE_DOCS=1. */
test("the page has this table", async () => {
  const codes = selfTestChecks
    .map(({ code }) => code)
    .filter((code) => [...failures.values()].flat().includes(code));
  const rows = [...failures].map(([name, failed]) => [
    `\`${name}\``,
    ...codes.map((code) => mark(name, code, failed)),
  ]);
  const table = markdownTable([["", ...codes], ...rows]);
  const text = await readFile(page, "utf8");
  const place = /(?<=<!-- quirks: .*? -->\n\n)[^]*?(?=\n\n<!-- \/quirks -->)/;
  if (process.env["RESIDUA_WRITE_DOCS"])
    await writeFile(
      page,
      text.replace(place, () => table),
    );
  else expect(place.exec(text)?.[0]).toBe(table);
});

/** `**x**` where the check is for the quirk, `x` where it fails as well. */
function mark(name: string, code: string, failed: readonly string[]): string {
  if (!failed.includes(code)) return "";
  return quirks.find((quirk) => quirk.name === name)!.selfTest.includes(code) ? "**x**" : "x";
}

/** Columns as wide as their widest cell, as the formatter writes them. */
function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, i) => Math.max(3, ...[head, ...rows].map((row) => row[i]!.length)));
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}
