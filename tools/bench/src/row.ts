/** One benchmark: a piece of work done by us and by a peer in the same run. */
export interface BenchmarkRow {
  readonly id: string;
  readonly work: string;
  /** Median of our runs, in `unit`. */
  readonly ours: number;
  /** Median of the peer's runs, in `unit`. */
  readonly peer: number;
  readonly unit: Unit;
  /** How many times faster, or smaller, than the peer we are: peer / ours. */
  readonly ratio: number;
  /** The least ratio aimed at; null where the figure is only reported. */
  readonly goal: number | null;
  /** The most milliseconds of ours aimed at; null where there is no such aim. */
  readonly limit: number | null;
  /** The least of ours aimed at, where more is better; the ratio is then ours / peer. */
  readonly least: number | null;
  readonly met: boolean | null;
  /** Half the distance between the quartiles over the median, in percent: ours, the peer's. */
  readonly spread: { readonly ours: number; readonly peer: number };
  readonly peerName: string;
  readonly repeats: number;
  /** Bytes that our process and the peer's hold after the last run, or the most they held; null where it was not looked at. */
  readonly memory: Memory;
}

interface Memory {
  readonly ours: number | null;
  readonly peer: number | null;
}

type Unit = "ms" | "MiB" | "%";

/** Two ways to do the same work; each call does it once and returns the milliseconds it took, or what it measured in `unit`. */
export interface Contest {
  readonly id: string;
  readonly work: string;
  readonly peerName: string;
  readonly goal: number | null;
  readonly limit?: number;
  readonly least?: number;
  /** Default ms. */
  readonly unit?: Unit;
  /** Throws when the two do not give equal results: a time counts only for equal work. */
  checkEqual(): Promise<void>;
  ours(): Promise<number>;
  peer(): Promise<number>;
  memory?(): Promise<Memory>;
  close(): Promise<void>;
}

/** Runs ours and the peer in turn, so that what slows the machine slows both; the first turn warms up and does not count. */
export async function runContest(
  contest: Contest,
  { repeats = 7 }: { repeats?: number } = {},
): Promise<BenchmarkRow> {
  await contest.checkEqual();
  const ours: number[] = [];
  const peer: number[] = [];
  for (let turn = 0; turn <= repeats; turn++) {
    const times = [await contest.ours(), await contest.peer()] as const;
    if (turn === 0) continue;
    ours.push(times[0]);
    peer.push(times[1]);
  }
  const { id, work, peerName, goal, limit = null, least = null, unit = "ms" } = contest;
  const [own, other] = [median(ours), median(peer)];
  const ratio = least === null ? other / own : own / other;
  const aimless = goal === null && limit === null && least === null;
  return {
    id,
    work,
    ours: own,
    peer: other,
    unit,
    ratio,
    goal,
    limit,
    least,
    met: aimless ? null : ratio >= (goal ?? 0) && own <= (limit ?? Infinity) && own >= (least ?? 0),
    spread: { ours: spread(ours), peer: spread(peer) },
    peerName,
    repeats,
    memory: (await contest.memory?.()) ?? { ours: null, peer: null },
  };
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = q * (sorted.length - 1);
  const low = sorted[Math.floor(at)]!;
  return low + (at - Math.floor(at)) * (sorted[Math.ceil(at)]! - low);
}

const median = (values: readonly number[]) => quantile(values, 0.5);

const spread = (values: readonly number[]) =>
  Math.round((50 * (quantile(values, 0.75) - quantile(values, 0.25))) / median(values));
