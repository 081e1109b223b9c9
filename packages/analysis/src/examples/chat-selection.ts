import {
  type ChatSpan,
  maxOf,
  meanOf,
  type Selection as LensSelection,
  SelectionError,
  span,
  type TokenStretch,
} from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";

/** Data of a chat selection, as datasets record it. */
export const chatSelectionSchema = z.strictObject({
  kind: z.literal("chat"),
  /** null: of any role. */
  role: z.string().min(1).nullable(),
  /** What the template writes before a content, the content, what it writes after it, or all three. */
  part: z.enum(["header", "content", "end", "turn"]),
  /** Which messages of the role. */
  messages: z.enum(["all", "first", "last"]),
  /** Which tokens of each. */
  tokens: z.enum(["all", "first", "last"]),
  /** Whether the rows become one. */
  pool: z.enum(["mean", "max"]).nullable(),
});

/** Which tokens of a conversation become rows: plain data, that each conversation's spans turn into positions. */
export type ChatSelection = Readonly<z.infer<typeof chatSelectionSchema>>;

export type RoleTokensOptions = Partial<Omit<ChatSelection, "kind" | "role">>;

const { part, messages, tokens, pool } = chatSelectionSchema.shape;
const roleSchema = z.strictObject({
  part: part.default("content"),
  messages: messages.default("all"),
  tokens: tokens.default("all"),
  pool: pool.default(null),
});
const place = z.int().min(0);
const spansSchema = z.array(
  z.looseObject({
    message: place,
    role: z.string(),
    part: z.enum(["header", "content", "end"]),
    start: place,
    end: place,
  }),
);

/** The tokens of every message of a role: its content, unless `part` says otherwise. `roleTokens("assistant", { pool: "mean" })`. Throws InvalidRequestError. */
export function roleTokens(role: string, options: RoleTokensOptions = {}): ChatSelection {
  checkOptions(z.string().min(1), role, "role", "role");
  const checked = checkOptions(roleSchema, options, "roleTokens options");
  return Object.freeze({ ...checked, kind: "chat", role });
}

/** The last token of the last user message's content. */
export const lastUserToken: ChatSelection = roleTokens("user", { messages: "last", tokens: "last" });
/** Every token of the content of every assistant message. */
export const assistantTokens: ChatSelection = roleTokens("assistant");
/** The first token after the last message's content: `<|im_end|>`, `<|eot_id|>`, … */
export const endOfTurn: ChatSelection = Object.freeze({
  ...{ kind: "chat", role: null, part: "end", messages: "last", tokens: "first", pool: null },
} as const);

/** The positions that a selection takes of a conversation, ascending. Throws SelectionError `empty_selection`, InvalidRequestError. */
export function chatPositions(selection: ChatSelection, spans: readonly ChatSpan[]): number[] {
  checkOptions(chatSelectionSchema, selection, "chat selection", "selection");
  checkOptions(spansSchema, spans, "spans", "spans");
  const { role, part, messages, tokens } = selection;
  const wanted = spans.filter(
    (span) => (role === null || span.role === role) && (part === "turn" || span.part === part),
  );
  const indices = [...new Set(wanted.map(({ message }) => message))];
  const chosen =
    messages === "all" ? indices : messages === "first" ? indices.slice(0, 1) : indices.slice(-1);
  const positions = chosen.flatMap((index) => {
    const own = wanted.filter(({ message }) => message === index).flatMap(positionsOf);
    return tokens === "all" ? own : tokens === "first" ? own.slice(0, 1) : own.slice(-1);
  });
  if (positions.length > 0) return positions;
  const what = `${part === "turn" ? "turn" : part} of ${role === null ? "any role" : JSON.stringify(role)}`;
  const roles = [...new Set(spans.map((span) => span.role))].join(", ");
  throw new SelectionError(
    "empty_selection",
    wanted.length === 0
      ? `the conversation has no ${what}; its roles: ${roles}`
      : `the ${what} has no token: its message is empty`,
    { selection },
  );
}

function positionsOf({ start, end }: ChatSpan): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}

/** The same as lens selects it: `select(capture, …)` of a capture of the conversation's ids. */
export function resolveChatSelection(selection: ChatSelection, spans: readonly ChatSpan[]): LensSelection {
  const stretches: TokenStretch[] = [];
  for (const position of chatPositions(selection, spans)) {
    const last = stretches.at(-1);
    if (last?.to === position) last.to++;
    else stretches.push({ from: position, to: position + 1 });
  }
  const rows = span({ tokens: stretches.length === 1 ? (stretches[0] as TokenStretch) : stretches });
  // Spans hold no BOS of the template's.
  if (selection.pool === "mean") return meanOf(rows, { bos: "in" });
  return selection.pool === "max" ? maxOf(rows, { bos: "in" }) : rows;
}

/** Whose each of so many tokens is; null for those that are nobody's, such as a BOS. */
export function tokenRoles(spans: readonly ChatSpan[], tokens: number): (string | null)[] {
  checkOptions(spansSchema, spans, "spans", "spans");
  checkOptions(
    z
      .int()
      .min(0)
      .max(2 ** 32 - 1),
    tokens,
    "tokens",
    "tokens",
  );
  const roles = new Array<string | null>(tokens).fill(null);
  for (const { role, start, end } of spans) roles.fill(role, start, end);
  return roles;
}
