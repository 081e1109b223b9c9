import { analysisContests } from "./analysis.ts";
import { runContest, type BenchmarkRow, type Contest } from "./row.ts";
import { serverContests } from "./server.ts";

/** A suite makes its contests when it is its turn: a peer is a process that should not run beside others. */
type Suite = () => AsyncIterable<Contest> | Iterable<Contest>;

const suites: Readonly<Record<string, Suite>> = { analysis: analysisContests, server: serverContests };

const words = process.argv.slice(2);
const json = words.includes("--json");
const named = words.filter((word) => !word.startsWith("--"));
const unknown = named.filter((name) => !Object.hasOwn(suites, name));
if (unknown.length > 0) {
  console.error(`bench: no suite ${unknown.join(", ")}; there are ${Object.keys(suites).join(", ")}`);
  process.exit(2);
}

const rows: BenchmarkRow[] = [];
for (const name of named.length > 0 ? named : Object.keys(suites)) {
  for await (const contest of suites[name]!()) {
    console.error(`${contest.id}: ${contest.work}, against ${contest.peerName}`);
    try {
      rows.push(await runContest(contest));
    } finally {
      await contest.close();
    }
  }
}

if (json) console.log(JSON.stringify(rows));
else for (const row of rows) console.log(line(row));
process.exitCode = rows.some(({ met }) => met === false) ? 3 : 0;

function line({ id, work, ours, peer, ratio, goal, met, spread, peerName, repeats }: BenchmarkRow): string {
  const aim = goal === null ? "no goal" : `goal ≥ ${goal}×, ${met ? "met" : "NOT met"}`;
  return [
    `${id}: ${work}`,
    `  ours ${ours.toFixed(1)} ms (±${spread.ours} %), ${peerName} ${peer.toFixed(1)} ms (±${spread.peer} %), median of ${repeats}`,
    `  ratio ${ratio.toFixed(2)}× (${aim})`,
  ].join("\n");
}
