import type { ChatSpan, Selection } from "@residua/lens";
import type { CollectFailure } from "./collect-failure.ts";
import type { PlannedExample } from "./dataset-plan.ts";

/** One example, ready to be captured. */
export interface CollectItem {
  /** Place in the list of examples. */
  readonly index: number;
  readonly example: PlannedExample;
  /** What is sent. */
  readonly prompt: string | readonly number[];
  /** The prompt as text, where it is known. */
  readonly text: string | null;
  /** Whose tokens a conversation's are; null of a prompt. */
  readonly roles: readonly ChatSpan[] | null;
  /** What of the capture becomes rows. */
  readonly select: Selection;
  readonly contentHash: string;
}

/** An example that can be captured, or why it cannot. */
export type PreparedItem =
  { item: CollectItem; failure?: undefined } | { failure: CollectFailure; item?: undefined };

/** The role of the token at a position: of its message, of a rollout, or what the capture says. */
export function roleAt(
  { example: { promptLength }, roles }: Pick<CollectItem, "example" | "roles">,
  position: number,
  captured: string,
): string {
  if (captured === "prompt" && promptLength !== undefined && position >= promptLength) return "generated";
  const span = roles?.find(({ start, end }) => start <= position && position < end);
  return captured === "prompt" ? (span?.role ?? captured) : captured;
}

/** Whether the selected rows become one, which is of no token. */
export function isPooled({ kind }: Selection): boolean {
  return kind === "mean" || kind === "max";
}
