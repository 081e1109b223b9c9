import { appendFileSync, readFileSync, truncateSync } from "node:fs";
import { z } from "zod";
import { checkBudgets, periods, type Budgets, type Settled } from "./budgets.ts";
import { ServerError } from "./server-error.ts";

const entrySchema = z.strictObject({
  at: z.string(),
  hold: z.string(),
  key: z.string(),
  kind: z.enum(["hold", "settle", "refund"]),
  tokens: z.number().int(),
});

/**
 * A line of the ledger. A hold is positive; the settlement and the refund that end it are negative, or
 * 0, so that the three add up to 0.
 */
export interface LedgerEntry {
  /** When, in ISO 8601. */
  readonly at: string;
  /** The request that holds: the id of its hold. */
  readonly hold: string;
  /** The id of the key. */
  readonly key: string;
  readonly kind: "hold" | "settle" | "refund";
  readonly tokens: number;
}

/** Tokens of a key. */
export interface Balance {
  /** Of requests that are under way. */
  readonly held: number;
  readonly settled: number;
}

/** Of a key. */
interface Account {
  held: number;
  settled: number;
  /** The last day and month in which tokens were settled, and how many. */
  readonly latest: Record<keyof typeof periods, { period: string; settled: number }>;
}

/** Tokens set aside for a request, until it ends. */
export interface Hold {
  /** Ends the hold, the first time: so many of its tokens were written, the rest is given back. */
  readonly settle: (written: number) => void;
}

/**
 * Who holds and has used how many tokens. In memory are the sums and the open holds; every entry goes
 * to `write`.
 */
export class Ledger {
  readonly #write: (entry: LedgerEntry) => void;
  readonly #now: () => Date;
  readonly #accounts = new Map<string, Account>();
  /** Holds that are not ended; `written` once they are settled. */
  readonly #open = new Map<string, { key: string; tokens: number; written: number | null }>();
  #next = 1;

  constructor(write: (entry: LedgerEntry) => void = () => undefined, now = () => new Date()) {
    this.#write = write;
    this.#now = now;
  }

  balance(key: string): Balance {
    const { held, settled } = this.#account(key);
    return { held, settled };
  }

  /** Throws ApiError 429 `budget_exceeded` when that many would go over what the key may use. */
  hold(key: string, tokens: number, budgets: Budgets = {}): Hold {
    const at = this.#now().toISOString();
    const { held } = this.#account(key);
    checkBudgets(tokens, budgets, { held, settled: this.#settled(key, at), at });
    const hold = String(this.#next);
    this.#record({ at, hold, key, kind: "hold", tokens });
    return { settle: (written) => this.#end(hold, written) };
  }

  /** Tokens settled in all, and in the day and the month of a time: each counts when it was settled. */
  #settled(key: string, at: string): Settled {
    const { settled, latest } = this.#account(key);
    const of = (name: keyof typeof periods) =>
      latest[name].period >= periods[name](at) ? latest[name].settled : 0;
    return { total: settled, daily: of("daily"), monthly: of("monthly") };
  }

  #account(key: string): Account {
    const empty = () => ({ period: "", settled: 0 });
    const account = this.#accounts.get(key) ?? {
      held: 0,
      settled: 0,
      latest: { daily: empty(), monthly: empty() },
    };
    this.#accounts.set(key, account);
    return account;
  }

  /** Takes over the entries of an earlier run, and gives back the holds that it left open. */
  resume(entries: readonly LedgerEntry[]): void {
    for (const entry of entries) this.#apply(entry);
    for (const hold of [...this.#open.keys()]) this.#end(hold, 0);
  }

  #end(hold: string, written: number): void {
    const held = this.#open.get(hold);
    if (held === undefined) return;
    const { key, tokens } = held;
    const at = this.#now().toISOString();
    // A process can have been killed between the two. Not -0.
    if (held.written === null) this.#record({ at, hold, key, kind: "settle", tokens: 0 - written });
    this.#record({ at, hold, key, kind: "refund", tokens: (held.written ?? written) - tokens });
  }

  #record(entry: LedgerEntry): void {
    this.#write(entry);
    this.#apply(entry);
  }

  #apply({ at, hold, key, kind, tokens }: LedgerEntry): void {
    const account = this.#account(key);
    account.held += tokens;
    if (kind === "settle") {
      account.settled -= tokens;
      const held = this.#open.get(hold);
      if (held !== undefined) held.written = 0 - tokens;
      for (const name of ["daily", "monthly"] as const) {
        const latest = account.latest[name];
        const period = periods[name](at);
        // A clock that was set back counts on in the period it had come to.
        if (period > latest.period) Object.assign(latest, { period, settled: 0 });
        latest.settled -= tokens;
      }
    }
    if (kind === "hold") this.#open.set(hold, { key, tokens, written: null });
    if (kind === "refund") this.#open.delete(hold);
    this.#next = Math.max(this.#next, Number(hold) + 1);
  }
}

/**
 * A ledger that is written to a file, one JSON object a line, and goes on where the file ends. Throws
 * ServerError `ledger_invalid`.
 */
export function openLedger(file: string): Ledger {
  const ledger = new Ledger((entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`));
  ledger.resume(readEntries(file));
  return ledger;
}

function readEntries(file: string): LedgerEntry[] {
  const fail = (problem: string, cause: unknown) =>
    new ServerError("ledger_invalid", `ledger: ${problem}`, {}, { cause });
  let text = "";
  try {
    // Made if there is none, so that a place where it cannot be written is found now.
    appendFileSync(file, "");
    text = readFileSync(file, "utf8");
    // A process that was killed can leave half a line.
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    if (whole !== text) truncateSync(file, Buffer.byteLength(whole));
    text = whole;
  } catch (cause) {
    throw fail("the file cannot be read and written", cause);
  }
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line, index) => {
    try {
      return entrySchema.parse(JSON.parse(line));
    } catch (cause) {
      throw fail(`line ${index + 1} is no entry`, cause);
    }
  });
}
