import type { DatasetDescription } from "./description-schema.ts";

/** Finds the beginning-of-text token from what every example begins with, and counts its rows. */
export class BosRows {
  readonly #known: number | undefined;
  readonly #rows = new Map<number, number>();
  readonly #firsts = new Set<number>();
  #examples = 0;
  #unknown = 0;

  constructor(known: number | undefined) {
    this.#known = known;
  }

  /** One example's first token, where it is known. */
  addExample(first: number | null): void {
    this.#examples++;
    if (first === null) this.#unknown++;
    else this.#firsts.add(first);
  }

  addRow(token: number | null, position: number | null): void {
    // The token that texts begin with may also stand inside one, where it begins nothing.
    if (token !== null && (position === null || position === 0))
      this.#rows.set(token, (this.#rows.get(token) ?? 0) + 1);
  }

  health(rows: number): DatasetDescription["bos"] {
    const found = this.#known ?? this.#found();
    if (typeof found === "string") return { tokenId: null, source: found, rows: 0, share: null };
    const count = this.#rows.get(found) ?? 0;
    const source = this.#known === undefined ? "the first token of every example" : "given";
    return { tokenId: found, source, rows: count, share: rows === 0 ? null : count / rows };
  }

  #found(): number | string {
    const [first, ...others] = this.#firsts;
    if (first === undefined) return "no example tells its first token";
    if (others.length > 0) return `examples begin with ${others.length + 1} different tokens`;
    if (this.#examples - this.#unknown < 2) return "one example cannot tell a first token that all share";
    return first;
  }
}
