import * as z from "zod";
import { checkOptionArguments } from "../arguments/check-arguments.ts";
import { fields, kind, oneOf, optional, whole } from "../arguments/kinds.ts";
import { shown } from "../arguments/shown.ts";
import { LensOptionError } from "../profiles/lens-option-error.ts";
import type { TokenStretch } from "./token-stretch.ts";

/** The prompt's tokens, the generated ones that were captured (all but the last), or both. */
const area = z.literal(["prompt", "generated", "all"]);
export type TokenArea = z.infer<typeof area>;

const from = z.int().nonnegative();
const to = z.int().positive();
const range = { from, to };
const occurrence = z.union(
  [z.literal(["only", "first", "last", "all"]), z.int().nonnegative()],
  "one of only, first, last, all, or a whole number from 0",
);
const isFilled = (value: { from: number; to: number }): boolean => value.from < value.to;
const filled = "from must be before to, which is not included";

function isPattern({ source, flags }: { source: string; flags: string }): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

const tokens = z.strictObject(range).refine(isFilled, filled);

/** What a span is found by. */
const target = z.union(
  [
    z.strictObject({ text: z.string().min(1) }),
    z.strictObject({
      pattern: z
        .strictObject({ source: z.string().min(1), flags: z.string() })
        .refine(isPattern, "not a regular expression"),
    }),
    z.strictObject({
      characters: z
        .strictObject({ ...range, unit: z.literal(["utf16", "codePoints"]).default("utf16") })
        .refine(isFilled, filled),
    }),
    z.strictObject({ tokens: z.union([tokens, z.array(tokens).min(1)]) }),
  ],
  "one of text, pattern, role, characters {from, to, unit}, tokens {from, to} or a list of them; from before to",
);

const rowKinds = [
  z.strictObject({ kind: z.literal("first"), count: z.int().positive() }),
  z.strictObject({ kind: z.literal("last"), count: z.int().positive(), area }),
  z.strictObject({ kind: z.literal("every"), area }),
  z.strictObject({
    kind: z.literal("span"),
    target,
    area,
    occurrence,
    cut: z.literal(["refuse", "outer", "inner"]),
  }),
] as const;
const rows = z.discriminatedUnion("kind", rowKinds);
const pooledRows = z.strictObject({
  kind: z.literal(["mean", "max"]),
  over: rows,
  bos: z.literal(["out", "in"]),
});
const anyRows = z.discriminatedUnion("kind", [...rowKinds, pooledRows]);

/** Which rows of a capture: one row for each token. */
export type RowSelection = Readonly<z.infer<typeof rows>>;
/** The mean or the largest of rows: one row. */
export type PooledSelection = Readonly<z.infer<typeof pooledRows>>;
/** What of a capture is kept. Made by `last`, `first`, `everyToken`, `lastK`, `span`, `meanOf` and `maxOf`; plain data. */
export type Selection = RowSelection | PooledSelection;
export type SpanSelection = Extract<RowSelection, { kind: "span" }>;

/** Whether the rows become one. */
export function isPooled(selection: Selection): selection is PooledSelection {
  return selection.kind === "mean" || selection.kind === "max";
}

/** The last captured position. With max_tokens 1 that is the prompt's last token. */
export const last: RowSelection = Object.freeze({ kind: "last", count: 1, area: "all" });
/** Position 0: the BOS, where the model has one. */
export const first: RowSelection = Object.freeze({ kind: "first", count: 1 });
/** Every captured position. */
export const everyToken: RowSelection = Object.freeze({ kind: "every", area: "all" });

/** The last k captured positions, of the prompt or the generated tokens only where asked; all of them where there are fewer. */
export function lastK(k: number, options: { of?: TokenArea } = {}): RowSelection {
  checkOptionArguments("lastK", { k: [k, whole(1)], options: [options, fields({ of: optional(areas) })] });
  return made(rows, { kind: "last", count: k, area: options.of ?? "all" });
}

/** How to find a span. Exactly one of the first five. */
export interface SpanOptions {
  text?: string;
  /** Matches of nothing are passed over. With the flag y: those that follow each other from the beginning of the area. */
  pattern?: RegExp;
  /** Every captured token of this role. Nothing else may be given with it. */
  role?: "prompt" | "generated";
  /** Characters `from` to `to`, which is not included, of the area's text; counted in UTF-16 units or in code points. */
  characters?: { from: number; to: number; unit?: "utf16" | "codePoints" };
  /** Positions `from` to `to`, which is not included, or several such stretches. Nothing else may be given with it. */
  tokens?: TokenStretch | readonly TokenStretch[];
  /** Where to look (prompt). `all` is the prompt and what was generated, as one text. */
  of?: TokenArea;
  /** Which of several matches: `only` (default) refuses when there are several; a number counts from 0. */
  occurrence?: "only" | "first" | "last" | "all" | number;
  /** A token that is partly inside: refused (default), taken (`outer`) or left out (`inner`). */
  cut?: "refuse" | "outer" | "inner";
}

const areas = oneOf(["prompt", "generated", "all"]);
/** What it is checked for in full when it is made. */
const checked = kind("as its type says", () => true);
const spanOptions = fields({
  text: checked,
  pattern: optional(kind("a RegExp", (value) => value instanceof RegExp)),
  role: optional(oneOf(["prompt", "generated"])),
  characters: checked,
  tokens: checked,
  of: optional(areas),
  occurrence: checked,
  cut: optional(oneOf(["refuse", "outer", "inner"])),
});

/** The tokens of a stretch of text. Throws `invalid_option`; what is not found is SelectionError when it is selected. */
export function span(options: SpanOptions): RowSelection {
  checkOptionArguments("span", { options: [options, spanOptions] });
  const { role, of: area = "prompt", occurrence = "only", cut = "refuse", pattern, ...rest } = options;
  const alone = role !== undefined ? "role" : rest.tokens !== undefined ? "tokens" : undefined;
  const others = Object.entries(options).filter(([name, value]) => value !== undefined && name !== alone);
  if (alone !== undefined && others.length > 0) {
    const names = others.map(([name]) => name).join(", ");
    throw new LensOptionError(`span: ${alone} and ${names} given; allowed: ${alone} alone`);
  }
  if (role !== undefined) return made(rows, { kind: "every", area: role });
  const target = { ...rest, ...(pattern && { pattern: { source: pattern.source, flags: pattern.flags } }) };
  return made(rows, { kind: "span", target, area, occurrence, cut });
}

/** The mean of the rows, as one float32 row. `bos: "in"` takes the BOS along, which is left out else. */
export function meanOf(over: RowSelection, options: { bos?: "in" | "out" } = {}): PooledSelection {
  return pooled("meanOf", "mean", over, options);
}

/** Of each of the hidden size numbers the largest of the rows, as one float32 row. `bos: "in"` takes the BOS along. */
export function maxOf(over: RowSelection, options: { bos?: "in" | "out" } = {}): PooledSelection {
  return pooled("maxOf", "max", over, options);
}

function pooled(
  called: string,
  kind: "mean" | "max",
  over: RowSelection,
  options: { bos?: "in" | "out" },
): PooledSelection {
  checkOptionArguments(called, { options: [options, fields({ bos: optional(oneOf(["out", "in"])) })] });
  return made(pooledRows, { kind, over, bos: options.bos ?? "out" });
}

/** A selection that came as data, such as from a file. Throws `invalid_option`. */
export function readSelection(value: unknown): Selection {
  return made(anyRows, value);
}

/** What to give where something else came. */
const selections =
  "last, first, everyToken, lastK(k), span({ … }), meanOf(…), maxOf(…), each a value of @residua/lens, or data that one of these made";

function made<T>(schema: z.ZodType<T>, value: unknown): Readonly<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return Object.freeze(parsed.data);
  if (typeof (value as { kind?: unknown } | null | undefined)?.kind !== "string")
    throw new LensOptionError(`selection: ${shown(value)} given; allowed: ${selections}`);
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "kind"}: ${message}`);
  throw new LensOptionError(`selection: ${issues.join("; ")}`);
}
