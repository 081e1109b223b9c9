import type { ColumnValue } from "../../shards/column-field.ts";
import { createRandom } from "../../statistics/random.ts";

/** Units of one group that have one token: how many of them have each value. */
export interface TokenCell {
  token: ColumnValue;
  group: number;
  counts: Map<ColumnValue, number>;
}

/** How often a guess is taken to be right: a token that mostly tells the label, and one that nearly always does. */
const trusts = [0.75, 0.95];
/** Orders of the groups that are tried; their mean is taken. */
const orders = 4;
/** Less than this of a value is left over by rounding. */
const none = 1e-9;

/**
 * How small the chance is that a token which says nothing of the label would guess it as well: a bound, 1 at most.
 *
 * Groups come in a random order. Each unit is guessed to have the value that its token had most often in the groups before, and a
 * fair bet is laid on it: the money is multiplied by `trust / p` where the guess is right and by `(1 - trust) / (1 - p)` where it is
 * wrong, p being the value's share in the groups that are left. However labels hang together within a group, a token
 * that says nothing then leaves the money as it was on average, since a group is one bet, the mean of its units', so that the chance
 * of n times the money is at most 1 / n (Ville 1939; Shafer 2021, doi:10.1111/rssa.12647). Unlike standard deviations of a
 * share it holds for any number of groups and labels of any share.
 */
export function chanceOfGuesses(cells: Iterable<TokenCell>): number {
  const groups = groupsOf(cells);
  const logs: number[] = [];
  for (let order = 0; order < orders; order++) {
    const shuffled = createRandom(order, "lint tokens").shuffle([...groups]);
    logs.push(...logMoney(shuffled));
  }
  const most = Math.max(...logs);
  const mean = most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0) / logs.length);
  return Math.min(1, Math.exp(-mean));
}

/** The same of the best token that there could be, which is another for every value: what these groups can tell at most. */
export function leastChance(cells: Iterable<TokenCell>): number {
  const best = new Map<number, Map<ColumnValue, number>>();
  for (const { group, counts } of cells) {
    const own = best.get(group) ?? new Map<ColumnValue, number>();
    best.set(group, own);
    addCounts(own, counts);
  }
  return chanceOfGuesses(
    [...best].flatMap(([group, counts]) =>
      [...counts].map(([value, count]) => ({ token: value, group, counts: new Map([[value, count]]) })),
    ),
  );
}

interface Group {
  cells: TokenCell[];
  /** Of each value in it. */
  shares: ReadonlyMap<ColumnValue, number>;
}

function groupsOf(cells: Iterable<TokenCell>): Group[] {
  const groups = new Map<number, TokenCell[]>();
  for (const cell of cells) {
    const own = groups.get(cell.group);
    if (own === undefined) groups.set(cell.group, [cell]);
    else own.push(cell);
  }
  return [...groups.values()].map((own) => {
    const counts = new Map<ColumnValue, number>();
    for (const cell of own) addCounts(counts, cell.counts);
    const units = sum(counts.values());
    return { cells: own, shares: new Map([...counts].map(([value, count]) => [value, count / units])) };
  });
}

/** What each trust has made of 1 in the end, as logarithms. */
function logMoney(groups: readonly Group[]): number[] {
  const seen = new Map<ColumnValue, Map<ColumnValue, number>>();
  const left = new Map<ColumnValue, number>();
  for (const { shares } of groups) addCounts(left, shares);
  const logs = trusts.map(() => 0);
  for (const [at, { cells, shares }] of groups.entries()) {
    const bet = boldest(cells, seen, (value) => (left.get(value) ?? 0) / (groups.length - at));
    for (const [i, trust] of trusts.entries()) {
      if (bet === undefined || bet.share >= trust) continue;
      const { right, share } = bet;
      logs[i]! += Math.log((right * trust) / share + ((1 - right) * (1 - trust)) / (1 - share));
    }
    for (const { token, counts } of cells) {
      const own = seen.get(token) ?? new Map<ColumnValue, number>();
      seen.set(token, own);
      addCounts(own, counts);
    }
    for (const [value, share] of shares) left.set(value, (left.get(value) ?? 0) - share);
  }
  return logs;
}

/** The guesses of a group at its rarest value: how many of them are right, and the value's share. */
function boldest(
  cells: readonly TokenCell[],
  seen: ReadonlyMap<ColumnValue, ReadonlyMap<ColumnValue, number>>,
  shareOf: (value: ColumnValue) => number,
): { right: number; share: number } | undefined {
  const guesses = cells.flatMap(({ token, counts }) => {
    const value = mostFrequent(seen.get(token) ?? new Map<ColumnValue, number>());
    if (value === undefined) return [];
    const share = shareOf(value);
    return share > none ? [{ value, share, counts }] : [];
  });
  const share = guesses.reduce((least, guess) => Math.min(least, guess.share), 1);
  const chosen = guesses.filter((guess) => guess.share === share);
  if (chosen.length === 0) return undefined;
  const right = sum(chosen.map(({ value, counts }) => counts.get(value) ?? 0));
  return { right: right / sum(chosen.flatMap(({ counts }) => [...counts.values()])), share };
}

/** Undefined where two are equally frequent, and of nothing. */
export function mostFrequent(counts: ReadonlyMap<ColumnValue, number>): ColumnValue | undefined {
  let found: ColumnValue | undefined;
  let most = 0;
  for (const [value, count] of counts) {
    if (count > most) [found, most] = [value, count];
    else if (count === most) found = undefined;
  }
  return found;
}

function addCounts(to: Map<ColumnValue, number>, counts: ReadonlyMap<ColumnValue, number>): void {
  for (const [value, count] of counts) to.set(value, (to.get(value) ?? 0) + count);
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
