import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { residua } from "./residua-process.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

/** Fenced blocks of one language, in order. */
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(([, text]) => text!);

test("the example prints what the README says", { timeout: 120_000 }, async () => {
  const [example] = blocks("ts");
  const printed = blocks("text").find((_, i, all) => readme.indexOf(all[i]!) > readme.indexOf(example!));
  const file = join(dirname(fileURLToPath(import.meta.url)), ".readme-example.ts");
  writeFileSync(file, example!);
  try {
    const tsx = join(root, "node_modules", "tsx", "dist", "cli.mjs");
    const { stdout } = await run(process.execPath, [tsx, "--conditions=@residua/source", file], {
      cwd: root,
    });
    expect(stdout).toBe(printed);
  } finally {
    rmSync(file);
  }
});

test("the commands of the README run after npm start", { timeout: 240_000 }, async () => {
  const commands = blocks("sh").flatMap((block) =>
    [...block.matchAll(/^npx residua (.*)$/gm)].map(([, words]) => words!),
  );
  expect(commands.length).toBeGreaterThan(1);
  const cwd = mkdtempSync(join(tmpdir(), "residua-readme-"));
  try {
    // npm start is this command, in the repository's folder.
    for (const command of ["first-run", ...commands]) {
      const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
      const { code, stderr } = await residua(words, { cwd });
      expect(code, `${command}: ${stderr}`).toBe(0);
    }
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
