import { appendFileSync, readFileSync, truncateSync } from "node:fs";
import { z } from "zod";
import { ApiError } from "./api-error.ts";
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
  readonly #balances = new Map<string, { held: number; settled: number }>();
  readonly #open = new Map<string, { key: string; tokens: number }>();
  #next = 1;

  constructor(write: (entry: LedgerEntry) => void = () => undefined) {
    this.#write = write;
  }

  balance(key: string): Balance {
    return { held: 0, settled: 0, ...this.#balances.get(key) };
  }

  /** Throws ApiError 429 `budget_exceeded` when that many would go over what the key may use in all. */
  hold(key: string, tokens: number, budget = Infinity): Hold {
    const { held, settled } = this.balance(key);
    const left = budget - held - settled;
    if (tokens > left) {
      throw new ApiError(
        429,
        "budget_exceeded",
        `this request holds ${tokens} tokens (prompts and max_tokens of all choices) and ${left} are left of the key's budget of ${budget}: ${settled} are used and ${held} held`,
      );
    }
    const hold = String(this.#next);
    this.#record({ at: new Date().toISOString(), hold, key, kind: "hold", tokens });
    return { settle: (written) => this.#end(hold, written) };
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
    const at = new Date().toISOString();
    // Not -0.
    this.#record({ at, hold, key, kind: "settle", tokens: 0 - written });
    this.#record({ at, hold, key, kind: "refund", tokens: written - tokens });
  }

  #record(entry: LedgerEntry): void {
    this.#write(entry);
    this.#apply(entry);
  }

  #apply({ hold, key, kind, tokens }: LedgerEntry): void {
    const balance = this.#balances.get(key) ?? { held: 0, settled: 0 };
    this.#balances.set(key, balance);
    balance.held += tokens;
    if (kind === "settle") balance.settled -= tokens;
    if (kind === "hold") this.#open.set(hold, { key, tokens });
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
