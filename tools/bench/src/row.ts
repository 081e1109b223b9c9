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

type Unit = "ms" | "MiB";

/** Two ways to do the same work; each call does it once and returns the milliseconds it took, or what it measured in `unit`. */
export interface Contest {
  readonly id: string;
  readonly work: string;
  readonly peerName: string;
  readonly goal: number | null;
  readonly limit?: number;
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
  const ratio = median(peer) / median(ours);
  const { id, work, peerName, goal, limit = null, unit = "ms" } = contest;
  return {
    id,
    work,
    ours: median(ours),
    peer: median(peer),
    unit,
    ratio,
    goal,
    limit,
    met: goal === null && limit === null ? null : ratio >= (goal ?? 0) && median(ours) <= (limit ?? Infinity),
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
