import { ExpressionReader } from "./expression-reader.ts";
import { shown } from "../read-row.ts";
import { SteeringError } from "../steering-error.ts";
import type { SteeringTerm } from "./steering-terms.ts";

/** Layers or positions that a list may have; a model has fewer, and a range is counted out. */
const longestList = 4096;

/**
 * Reads a steering expression:
 *
 *     expression = ["+" | "-"] term { ("+" | "-") term }
 *     term       = [number ["*"]] name "@" list ["from" layer] ["at" list] ["norm"]
 *     list       = range { "," range }        range = integer [":" integer], both ends in it
 *
 * A number has a space or `*` behind it. Throws `steering_expression` with the column and a caret below it.
 */
export function parseSteering(text: string): readonly SteeringTerm[] {
  if (typeof text !== "string") {
    throw new SteeringError(
      "steering_option",
      `expression: ${shown(text)} given; allowed: a text such as "0.8 truth@12"`,
    );
  }
  const reader = new ExpressionReader(text);
  const terms: SteeringTerm[] = [];
  do {
    reader.spaces();
    const column = reader.at + 1;
    const sign =
      terms.length === 0 ? (reader.take(/[+-]/y) ?? "+") : reader.need(/[+-]/y, '"+" or "-" between terms');
    reader.spaces();
    terms.push(readTerm(reader, sign === "-" ? -1 : 1, column));
  } while (!reader.done);
  return Object.freeze(terms);
}

function readTerm(reader: ExpressionReader, sign: 1 | -1, column: number): SteeringTerm {
  const factor = sign * readFactor(reader);
  const start = reader.at;
  const name = reader.need(/[A-Za-z_][A-Za-z0-9_.-]*/y, "a number or the name of a direction");
  if (["from", "at", "norm"].includes(name))
    reader.fail(`"${name}" is a word of expressions, not a name`, start);
  reader.need(/@/y, `"@" and a layer after ${name}`);
  const layers = readList(reader, "a layer from 0");
  const from = word(reader, "from") ? Number(reader.need(/\d{1,9}/y, "a layer from 0")) : undefined;
  const positions = word(reader, "at") ? readList(reader, "a position from 0") : undefined;
  const normMatch = word(reader, "norm");
  const next = reader.at;
  if (!/^(\s|[+-]|$)/.test(reader.text.slice(next)))
    reader.fail(`expected "+", "-" or the end after the term`);
  return Object.freeze({
    factor,
    name,
    layers,
    ...(from !== undefined && { from }),
    ...(positions !== undefined && { positions }),
    normMatch,
    column,
  });
}

function readFactor(reader: ExpressionReader): number {
  const start = reader.at;
  const digits = reader.take(/(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/iy);
  if (digits === undefined) return 1;
  const factor = Number(digits);
  if (!Number.isFinite(factor)) reader.fail(`${digits} is too large for a number`, start);
  if (factor === 0 && /[1-9]/.test(digits.replace(/e.*$/i, "")))
    reader.fail(`${digits} is too small for a number: it would be 0`, start);
  const spaces = reader.spaces();
  const star = reader.take(/\*/y);
  if (star === undefined && spaces === 0) reader.fail(`expected a space or "*" after the number ${digits}`);
  reader.spaces();
  return factor;
}

/** A word behind at least one space; nothing is read where it is another one. */
function word(reader: ExpressionReader, wanted: "from" | "at" | "norm"): boolean {
  // A name that begins like it, or has it before its @, cannot stand here: terms are parted by a sign.
  return (
    reader.take(new RegExp(`\\s+${wanted}(?![A-Za-z0-9_.@])${wanted === "norm" ? "" : "\\s+"}`, "y")) !==
    undefined
  );
}

function readList(reader: ExpressionReader, what: string): readonly number[] {
  const list = new Set<number>();
  do {
    if (list.size > 0) reader.spaces();
    const start = reader.at;
    const first = Number(reader.need(/\d{1,9}/y, what));
    const last =
      reader.take(/:/y) === undefined ? first : Number(reader.need(/\d{1,9}/y, `the range's end, ${what}`));
    if (last < first) reader.fail(`the range ${first}:${last} runs backwards`, start);
    if (last - first >= longestList)
      reader.fail(`a range of ${last - first + 1}; at most ${longestList}`, start);
    for (let value = first; value <= last; value++) {
      if (list.has(value)) reader.fail(`${value} is named twice`, start);
      list.add(value);
    }
    if (list.size > longestList) reader.fail(`more than ${longestList} in a list`, start);
  } while (reader.take(/,/y) !== undefined);
  return Object.freeze([...list].sort((a, b) => a - b));
}
