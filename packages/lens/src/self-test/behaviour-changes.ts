import type { ServerBehaviour } from "./server-behaviour.ts";

/** What lens does otherwise by what was found, one sentence each. */
export function behaviourChanges({ layers, positions, prefillChunk }: ServerBehaviour): string[] {
  const changes: string[] = [];
  if (layers === "all")
    changes.push(
      "captures take every layer that comes and keep those that were asked for: this server sends them all",
    );
  if (positions === "per pass") {
    const from = prefillChunk === undefined ? "" : `, and at positions from ${prefillChunk} on,`;
    changes.push(
      `steering at position 0 with more than one token, at generated tokens${from} is refused: this server would add it elsewhere`,
    );
  }
  return changes;
}
