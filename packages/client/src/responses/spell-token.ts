/** What a token's name says of it. */
export interface TokenSpelling {
  /** From `token_id:<id>` (`return_tokens_as_token_ids`). */
  id: number | undefined;
  /** UTF-8, where the server gave the bytes, in a field or as the name `bytes:\xe2\x98`. */
  bytes: readonly number[] | undefined;
  /** Its text; undefined when the name is no text. With `bytes`, those say more. */
  text: string | undefined;
}

/** Reads the name that a server gives a token: its text, `token_id:<id>`, or `bytes:\xe2\x98`; `bytes` is a field of its own. */
export function spellToken(name: string, bytes?: readonly number[] | null): TokenSpelling {
  // Most names are texts, and there may be a hundred at each place.
  const id = name.startsWith("token_id:") ? /^token_id:(\d+)$/.exec(name)?.[1] : undefined;
  if (id !== undefined) return { id: Number(id), bytes: bytes ?? undefined, text: undefined };
  if (!bytes && name.startsWith("bytes:") && /^bytes:(?:\\x[0-9a-f]{2})+$/i.test(name)) {
    const pairs = name.slice("bytes:".length).split("\\x").slice(1);
    return { id: undefined, bytes: pairs.map((pair) => Number.parseInt(pair, 16)), text: undefined };
  }
  return { id: undefined, bytes: bytes ?? undefined, text: name };
}
