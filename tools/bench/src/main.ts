import { analysisContests } from "./analysis.ts";
import { clientContests } from "./client.ts";
import { lensContests } from "./lens.ts";
import { runContest, type BenchmarkRow, type Contest } from "./row.ts";
import { serverContests } from "./server.ts";

/**
 * A suite makes its contests when it is their turn: a peer is a process that should not run beside others. It makes
 * those that are wanted.
 */
type Suite = (wanted: (id: string) => boolean) => AsyncIterable<Contest>;

const suites: Readonly<Record<string, Suite>> = {
  analysis: analysisContests,
  client: clientContests,
  lens: lensContests,
  server: serverContests,
};

const words = process.argv.slice(2);
const json = words.includes("--json");
const markdown = words.includes("--markdown");
const repeats = Number(words.find((word) => word.startsWith("--repeats="))?.split("=")[1] ?? 7);
if (!Number.isInteger(repeats) || repeats < 1) fail("--repeats=N takes a whole number from 1");
// A suite or one of its rows.
const named = words.filter((word) => !word.startsWith("--"));
const unknown = named.filter((name) => !Object.hasOwn(suites, name.split("/")[0]!));
if (unknown.length > 0)
  fail(
    `no suite ${unknown.join(", ")}; there are ${Object.keys(suites).join(", ")}, or a row such as server/tiny-prefill`,
  );

const rows: BenchmarkRow[] = [];
for (const [suite, contests] of Object.entries(suites)) {
  const wanted = (id: string) => named.length === 0 || named.includes(suite) || named.includes(id);
  for await (const contest of contests(wanted)) {
    console.error(`${contest.id}: ${contest.work}, against ${contest.peerName}`);
    try {
      rows.push(await runContest(contest, { repeats }));
    } finally {
      await contest.close();
    }
  }
}
const missing = named.filter((name) => !rows.some(({ id }) => id === name || id.startsWith(`${name}/`)));
if (missing.length > 0) fail(`no row ${missing.join(", ")}`);

if (json) console.log(JSON.stringify(rows));
else if (markdown) for (const row of rows) console.log(tableRow(row));
else for (const row of rows) console.log(line(row));
process.exitCode = rows.some(({ met }) => met === false) ? 3 : 0;

/** A row of RESULTS.md. */
function tableRow(row: BenchmarkRow): string {
  const { id, work, ours, peer, ratio, unit, peerName, spread } = row;
  const goal = row.met === null ? "" : ` (${aimsOf(row).join(", ")}: ${row.met ? "met" : "not met"})`;
  const figure = (value: number, off: number) =>
    `${value.toFixed(unit === "ms" ? 0 : 1)} ${unit} (±${off} %)`;
  const cells = [`\`${id}\``, work, figure(ours, spread.ours), `${figure(peer, spread.peer)}, ${peerName}`];
  return `| ${[...cells, `${ratio.toFixed(2)}×${goal}`].join(" | ")} |`;
}

function aimsOf({ goal, limit, least, unit }: BenchmarkRow): string[] {
  return [
    ...(goal === null ? [] : [`goal ≥ ${goal.toFixed(2)}×`]),
    ...(limit === null ? [] : [`goal ≤ ${limit} ${unit}`]),
    ...(least === null ? [] : [`goal ≥ ${least} ${unit}`]),
  ];
}

function line(row: BenchmarkRow): string {
  const { id, work, unit, ours, peer, ratio, spread, peerName, repeats, memory, met } = row;
  const held = (bytes: number | null) => (bytes === null ? "" : `, ${Math.round(bytes / 1024 ** 2)} MiB`);
  return [
    `${id}: ${work}`,
    `  ours ${ours.toFixed(1)} ${unit} (±${spread.ours} %${held(memory.ours)}), ${peerName} ${peer.toFixed(1)} ${unit} (±${spread.peer} %${held(memory.peer)}), median of ${repeats}`,
    `  ratio ${ratio.toFixed(2)}× (${met === null ? "no goal" : `${aimsOf(row).join(", ")}: ${met ? "met" : "NOT met"}`})`,
  ].join("\n");
}

function fail(problem: string): never {
  console.error(`bench: ${problem}`);
  process.exit(2);
}
