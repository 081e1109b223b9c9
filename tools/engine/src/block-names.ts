import { createHash } from "node:crypto";
import { prefixBlockTokens } from "./prefix-cache.ts";

/** A change to the residual stream after one layer, at one position or (null) at all. */
export interface StreamEdit {
  readonly layer: number;
  readonly position: number | null;
  readonly kind: "steering" | "intervention";
  /** Everything else that it depends on. */
  readonly numbers: readonly number[];
  readonly row: Float32Array | Float64Array;
}

/**
 * A name for each whole block of a sequence's first tokens. The rows of a block follow from its tokens, those
 * before them, and the edits at all these positions, in the order in which each layer applies them; a name
 * is a SHA-256 over exactly that and the salt, so equal names mean equal rows.
 */
export function nameBlocks(tokens: readonly number[], edits: readonly StreamEdit[], salt: string): string[] {
  const count = Math.floor(tokens.length / prefixBlockTokens);
  const blockOf = (position: number) => Math.floor(position / prefixBlockTokens);
  const placed = edits
    .filter(({ position }) => position === null || blockOf(position) < count)
    .map((edit) => ({ position: edit.position, digest: digestOf(edit) }));
  const special = new Set(placed.map(({ position }) => (position === null ? -1 : blockOf(position))));
  const everywhere = placed.filter(({ position }) => position === null);
  const names: string[] = [];
  let before = createHash("sha256").update(salt).digest();
  for (let block = 0; block < count; block++) {
    const hash = createHash("sha256").update(before);
    const from = block * prefixBlockTokens;
    hash.update(Uint32Array.from(tokens.slice(from, from + prefixBlockTokens)));
    const own = special.has(block)
      ? placed.filter(({ position }) => position === null || blockOf(position) === block)
      : everywhere;
    for (const { digest } of own) hash.update(digest);
    before = hash.digest();
    names.push(before.toString("base64"));
  }
  return names;
}

function digestOf({ layer, position, kind, numbers, row }: StreamEdit): Buffer {
  const hash = createHash("sha256").update(kind);
  hash.update(Float64Array.of(layer, position ?? -1, ...numbers));
  return hash.update(row).digest();
}
