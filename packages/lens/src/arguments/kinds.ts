import { shown } from "./shown.ts";

/** What is wrong with an argument. */
interface Fault {
  field: string;
  given: string;
  allowed: string;
}

/** What an argument may be. */
export interface Kind {
  /** Completes "allowed: …". */
  readonly allowed: string;
  /** Undefined where the value is right. `field` is what it is called. */
  fault(value: unknown, field: string): Fault | undefined;
}

export function kind(allowed: string, is: (value: unknown) => boolean): Kind {
  return {
    allowed,
    fault: (value, field) => (is(value) ? undefined : { field, given: shown(value), allowed }),
  };
}

export const text = kind("a text that is not empty", (value) => typeof value === "string" && value !== "");
export const anyText = kind("a text", (value) => typeof value === "string");
export const flag = kind("true or false", (value) => typeof value === "boolean");
export const aNumber = kind("a number", (value) => typeof value === "number");
export const bytes = kind("a Uint8Array", (value) => value instanceof Uint8Array);
export const floats = kind("a Float32Array", (value) => value instanceof Float32Array);
export const bits = kind("a Uint16Array", (value) => value instanceof Uint16Array);
export const aFunction = kind("a function", (value) => typeof value === "function");
export const signal = kind("an AbortSignal", (value) => value instanceof AbortSignal);

/** Whole numbers from `least`. */
export function whole(least: number): Kind {
  return kind(
    `a whole number from ${least}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= least,
  );
}

export function oneOf(words: readonly string[]): Kind {
  return kind(words.join(", "), (value) => typeof value === "string" && words.includes(value));
}

/** The kind, or left out. */
export function optional(of: Kind): Kind {
  return {
    allowed: of.allowed,
    fault: (value, field) => (value === undefined ? undefined : of.fault(value, field)),
  };
}

export function listOf(of: Kind): Kind {
  const allowed = `a list, each ${of.allowed}`;
  return {
    allowed,
    fault(value, field) {
      if (!Array.isArray(value)) return { field, given: shown(value), allowed };
      // By index, since holes are faults too.
      for (let i = 0; i < value.length; i++) {
        const fault = of.fault(value[i], `${field}[${i}]`);
        if (fault) return fault;
      }
      return undefined;
    },
  };
}

export function mapOf(of: Kind): Kind {
  const allowed = "a Map by name";
  return {
    allowed,
    fault(value, field) {
      if (!(value instanceof Map)) return { field, given: shown(value), allowed };
      for (const [name, one] of value as Map<unknown, unknown>) {
        const fault = anyText.fault(name, `a name of ${field}`) ?? of.fault(one, `${field} ${shown(name)}`);
        if (fault) return fault;
      }
      return undefined;
    },
  };
}

/** An object of texts by name. */
export const texts: Kind = {
  allowed: "an object of texts",
  fault(value, field) {
    if (!isRecord(value)) return { field, given: shown(value), allowed: texts.allowed };
    return firstFault(Object.keys(value), (name) => anyText.fault(value[name], `${field}.${name}`));
  },
};

/** An object with these fields; others are ignored where it is `loose`, since a value may know more than is asked of it. */
export function fields(kinds: Readonly<Record<string, Kind>>, { loose = false } = {}): Kind {
  const names = Object.keys(kinds);
  const allowed = `an object of ${names.join(", ")}`;
  return {
    allowed,
    fault(value, field) {
      if (!isRecord(value)) return { field, given: shown(value), allowed };
      const stranger = loose ? undefined : Object.keys(value).find((name) => !Object.hasOwn(kinds, name));
      if (stranger !== undefined)
        return {
          field: `${field}.${stranger.slice(0, 64)}`,
          given: "(no such option)",
          allowed: names.join(", "),
        };
      return firstFault(names, (name) => kinds[name]?.fault(value[name], `${field}.${name}`));
    },
  };
}

function firstFault(names: readonly string[], fault: (name: string) => Fault | undefined): Fault | undefined {
  for (const name of names) {
    const found = fault(name);
    if (found) return found;
  }
  return undefined;
}

/** An object with fields: no list, typed array, Map or Set. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  return !(Array.isArray(value) || ArrayBuffer.isView(value) || value instanceof Map || value instanceof Set);
}
