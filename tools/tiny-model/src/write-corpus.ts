import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cities } from "./cities.ts";
import { makeCorpus } from "./corpus.ts";
import { factTemplates } from "./facts.ts";
import { neutralTexts } from "./neutral-texts.ts";
import { reviewsWith } from "./reviews.ts";
import { statementsAbout } from "./statements.ts";

// Writes everything that the Python scripts read, as JSON lines, so that no text is made in two languages.
const folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: write-corpus.ts FOLDER");
  process.exit(2);
}

const files: Readonly<Record<string, readonly unknown[]>> = {
  corpus: makeCorpus(),
  statements: [...statementsAbout({ split: "train" }), ...statementsAbout({ split: "heldOut" })],
  reviews: [...reviewsWith({ split: "train" }), ...reviewsWith({ split: "heldOut" })],
  facts: cities.flatMap((city) => factTemplates.map((template) => ({ ...city, text: template(city) }))),
  neutral: neutralTexts().map((text) => ({ text })),
};

mkdirSync(folder, { recursive: true });
for (const [name, rows] of Object.entries(files)) {
  writeFileSync(join(folder, `${name}.jsonl`), rows.map((row) => JSON.stringify(row) + "\n").join(""));
  console.log(`${name}.jsonl: ${rows.length} rows`);
}
