import { FormatError } from "../format-error.ts";
import type { PickleKey, PickleValue } from "./pickle-value.ts";

/** The stack, marks and memo of the pickle machine; what underflows or does not fit is `format_invalid`. */
export class PickleStack {
  readonly file: string;
  readonly #items: PickleValue[] = [];
  readonly #marks: number[] = [];
  /** By number; a Map, since a number may be anything up to 2^32. */
  readonly #memo = new Map<number, PickleValue>();

  constructor(file: string) {
    this.file = file;
  }

  push(value: PickleValue): void {
    this.#items.push(value);
  }

  pop(): PickleValue {
    if (this.#items.length <= (this.#marks.at(-1) ?? 0)) this.fail("takes a value that is not there");
    return this.#items.pop()!;
  }

  top(): PickleValue {
    const value = this.pop();
    this.push(value);
    return value;
  }

  mark(): void {
    this.#marks.push(this.#items.length);
  }

  /** The values since the last mark. */
  popMark(): PickleValue[] {
    const begin = this.#marks.pop();
    if (begin === undefined) this.fail("has no mark where it needs one");
    return this.#items.splice(begin);
  }

  popMany(count: number): PickleValue[] {
    return Array.from({ length: count }, () => this.pop()).reverse();
  }

  /** The list below, to add to. A tuple is not one. */
  list(): PickleValue[] {
    const value = this.top();
    if (Array.isArray(value) && !Object.isFrozen(value)) return value as PickleValue[];
    return this.fail("adds to what is not a list");
  }

  /** Sets `values` (key, value, key, …) in the dict below. */
  setItems(values: readonly PickleValue[]): void {
    const dict = this.top();
    if (!(dict instanceof Map) || values.length % 2 !== 0) this.fail("sets items of what is not a dict");
    for (let i = 0; i < values.length; i += 2) {
      (dict as Map<PickleKey, PickleValue>).set(this.#key(values[i]!), values[i + 1]!);
    }
  }

  remember(at: number): void {
    this.#memo.set(at, this.top());
  }

  rememberNext(): void {
    this.remember(this.#memo.size);
  }

  recall(at: number): void {
    const value = this.#memo.get(at);
    if (value === undefined) this.fail(`recalls memo ${at}, which was not set`);
    this.push(value);
  }

  result(): PickleValue {
    if (this.#marks.length > 0 || this.#items.length !== 1) this.fail("does not end with one value");
    return this.#items[0]!;
  }

  fail(problem: string): never {
    throw new FormatError("format_invalid", `${this.file}: its pickle ${problem}`, { file: this.file });
  }

  #key(value: PickleValue): PickleKey {
    if (value === null || typeof value !== "object") return value;
    return this.fail("has a dict key that is not a text or a number");
  }
}
