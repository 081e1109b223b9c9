import process from "node:process";
import { coverage, intervalNames } from "./coverage.ts";
import { designs } from "./designs.ts";

// `npx tsx --conditions=@residua/source packages/analysis/test/statistics/interval-coverage/study.ts [DESIGN…]`: the tables of docs/statistics.md.
const wanted = process.argv.slice(2).map(Number);
for (const [i, design] of designs.entries()) {
  if (wanted.length > 0 && !wanted.includes(i)) continue;
  console.log(`${design.name}: ${JSON.stringify(design)}`);
  console.log(`| seed | ${intervalNames.join(" | ")} |`);
  for (let seed = 1; seed <= 10; seed++) {
    const shares = coverage(design, { sets: 2000, draws: 1000, rowDraws: 200, seed });
    console.log(`| ${seed} | ${intervalNames.map((name) => (100 * shares[name]).toFixed(2)).join(" | ")} |`);
  }
}
