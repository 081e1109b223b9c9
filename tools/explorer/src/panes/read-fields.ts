import { ExplorerError } from "../explorer-error.ts";

/** Fields of a form, as the browser sent them. */
export interface Fields {
  /** Line ends are "\n", as they were typed. */
  text(name: string, otherwise: string): string;
  /** Throws `bad_field`. */
  number(name: string, limits: NumberLimits): number;
  /** One of some words; the first stands for a field that is not there. Throws `bad_field`. */
  word<T extends string>(name: string, words: readonly [T, ...T[]] | readonly T[]): T;
  /** Undefined where it was not sent, or empty. */
  maybe(name: string): string | undefined;
}

interface NumberLimits {
  readonly label: string;
  readonly least: number;
  readonly most: number;
  readonly whole?: boolean;
  readonly otherwise: number;
}

export function readFields(given: URLSearchParams): Fields {
  const maybe = (name: string): string | undefined => {
    // Forms send every line end as "\r\n".
    const value = given.get(name)?.replace(/\r\n/g, "\n");
    return value === "" ? undefined : value;
  };
  return {
    maybe,
    text: (name, otherwise) => maybe(name) ?? otherwise,
    number(name, { label, least, most, whole = false, otherwise }) {
      const value = maybe(name)?.trim();
      if (value === undefined || value === "") return otherwise;
      const number = Number(value);
      if (
        Number.isFinite(number) &&
        number >= least &&
        number <= most &&
        (!whole || Number.isInteger(number))
      )
        return number;
      throw badField(label, value, `${whole ? "a whole number" : "a number"} from ${least} to ${most}`);
    },
    word(name, words) {
      const value = maybe(name) ?? words[0];
      const found = words.find((word) => word === value);
      if (found !== undefined) return found;
      throw badField(name, value, `one of ${words.join(", ")}`);
    },
  };
}

export function badField(label: string, given: string, allowed: string): ExplorerError {
  const shown = given.length > 80 ? `${given.slice(0, 80)}…` : given;
  return new ExplorerError("bad_field", `${label}: ${JSON.stringify(shown)} given; allowed: ${allowed}.`, {
    label,
  });
}
