import type { ServerBehaviour } from "./server-behaviour.ts";

/** What lens does otherwise by what was found, one sentence each. */
export function behaviourChanges({ layers, positions, prefillChunk }: ServerBehaviour): string[] {
  const changes: string[] = [];
  if (layers === "all")
    changes.push(
      "captures take every layer that comes and keep those that were asked for: this server sends them all",
    );
  if (positions === "per pass") {
    const chunk =
      prefillChunk === undefined
        ? ""
        : `, and in prompts of more than ${prefillChunk} tokens where it would come twice or never,`;
    changes.push(
      `a vector at position 0 with more than one token, at a generated token${chunk} is refused: this server would add it elsewhere`,
    );
  }
  return changes;
}
