/** What a self-test found a server to do, where requests are built by it. What was not found out is left out. */
export interface ServerBehaviour {
  /** Whether the layers that a capture names are captured and no others. */
  layers?: "honoured" | "all";
  /** Whether positions of a steering vector count from the request's first token, or from the start of each pass. */
  positions?: "absolute" | "per pass";
}

/** What was found, by model id. */
export interface Behaviours {
  of(model: string): ServerBehaviour;
  /** Adds to what is known. */
  learn(model: string, found: ServerBehaviour): void;
}

export function makeBehaviours(): Behaviours {
  const known = new Map<string, ServerBehaviour>();
  const of = (model: string) => known.get(model) ?? {};
  return { of, learn: (model, found) => void known.set(model, { ...of(model), ...found }) };
}
