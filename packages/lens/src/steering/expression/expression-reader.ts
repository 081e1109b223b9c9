import { SteeringError } from "../steering-error.ts";

/** Reads the pieces of an expression from left to right, and speaks of a fault with its column and a caret below it. */
export class ExpressionReader {
  at = 0;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Whether everything is read; spaces are passed over. */
  get done(): boolean {
    this.spaces();
    return this.at >= this.text.length;
  }

  /** Passes over spaces; how many there were. */
  spaces(): number {
    return this.take(/\s+/y)?.length ?? 0;
  }

  /** What the pattern (sticky) matches here, or nothing. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** The same, and an error where nothing matches. */
  need(pattern: RegExp, what: string): string {
    return this.take(pattern) ?? this.fail(`expected ${what}`);
  }

  /** Throws `steering_expression`. `at`: where the fault is, from 0. */
  fail(message: string, at = this.at): never {
    const found = at < this.text.length ? JSON.stringify(this.text.slice(at, at + 16)) : "the end";
    const says = message.startsWith("expected") ? `${message}, found ${found}` : message;
    throw new SteeringError("steering_expression", pointAt(this.text, at, says), { column: at + 1 });
  }
}

/** A message with the text below it and a caret below the fault. Of a long text a window is shown. */
export function pointAt(text: string, at: number, message: string): string {
  const from = Math.max(0, at - 60);
  const shown = text.slice(from, from + 120).replace(/\s/g, " ");
  return `column ${at + 1}: ${message}\n  ${shown}\n  ${" ".repeat(at - from)}^`;
}
