import { createHash } from "node:crypto";

/** What the captured rows of one example follow from. */
export interface CapturedFrom {
  /** As sent. */
  model: string;
  /** The name that the server's catalogue gives the weights; null when it gives none. */
  checkpoint: string | null;
  /** Hash of the fingerprint that lens's self-test made; null where there was none. */
  server: string | null;
  /** Ascending, or all of a model whose number of layers is not known. */
  layers: "all" | readonly number[];
  /** As data. */
  selection: object;
  maxTokens: number;
  /** A text, or token ids. */
  prompt: string | ArrayLike<number>;
  /** Which of the prompt's tokens are whose; null where nobody said. */
  roles: readonly { role: string; start: number; end: number }[] | null;
}

/**
 * 128 bits of SHA-256, in hex, of what an example's rows follow from. Examples with one hash have the same rows, whatever their
 * ids, labels and places are; so rows that are there already are used again by it.
 */
export function contentHashOf(from: CapturedFrom): string {
  const { model, checkpoint, server, layers, selection, maxTokens, prompt, roles } = from;
  const text = typeof prompt === "string" ? prompt : Array.from(prompt);
  const parts = ["residua-rows-1", model, checkpoint, server, layers, selection, maxTokens, text];
  return createHash("sha256")
    .update(JSON.stringify([...parts, roles?.map(({ role, start, end }) => [role, start, end]) ?? null]))
    .digest("hex")
    .slice(0, 32);
}
