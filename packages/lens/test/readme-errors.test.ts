import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string): string => readFileSync(`${folder}${file}`, "utf8");

/** Class and code of each error, as the sources declare them. */
function declared(): string[] {
  const files = readdirSync(`${folder}src`, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".ts"))
    .map((file) => read(`src/${file}`))
    .flatMap((source) => {
      const [, name] = /export class (\w+) extends ResiduaError/.exec(source) ?? [];
      const [, union = ""] = /declare readonly code:([^;]*);/.exec(source) ?? [];
      const own = name === undefined ? [] : quoted(union, '"').map((code) => `${name} ${code}`);
      const plain = [...source.matchAll(/new ResiduaError\(\s*"(\w+)"/g)];
      return [...own, ...plain.map(([, code]) => `ResiduaError ${code}`)];
    });
}

/** The same as the README's table has them: a row without a class belongs to the one above. */
function tabled(): string[] {
  const [, section = ""] = /## Checks and errors\n([\s\S]*?)\n## /.exec(read("README.md")) ?? [];
  let name = "";
  return section.split("\n").flatMap((line) => {
    if (!line.startsWith("|") || line.includes("`code`")) return [];
    const [, head = "", codes = ""] = line.split("|");
    name = quoted(head, "`")[0] ?? name;
    return quoted(codes, "`").map((code) => `${name} ${code}`);
  });
}

const quoted = (text: string, mark: string): string[] =>
  [...text.matchAll(new RegExp(`${mark}(\\w+)${mark}`, "g"))].map(([, word = ""]) => word);

test("the README has every code of every error class once, and no other", () => {
  const codes = [...new Set(declared())];
  expect(codes.length).toBeGreaterThan(60);
  expect(tabled().sort()).toEqual(codes.sort());
});
