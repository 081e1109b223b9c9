import type { ServerFingerprint } from "./server-fingerprint.ts";

/** What a self-test found a server to do, where requests are built by it. What was not found out is left out. */
export interface ServerBehaviour {
  /** Whether the layers that a capture names are captured and no others. */
  layers?: "honoured" | "all";
  /** Whether positions of a steering vector count from the request's first token, or from the start of each pass. */
  positions?: "absolute" | "per pass";
  /** Prompt tokens of one pass, where a prompt was seen to run in several. */
  prefillChunk?: number;
  /** What norm_match takes the norm of: the whole stream, or something else. */
  normMatch?: "stream" | "other";
  /** Capture and steering with n above 1. */
  choices?: "refused" | "dropped" | "taken";
  /** Capture and steering with several prompts. */
  prompts?: "refused" | "first" | "none";
  /** A capture of a completion that is streamed. */
  streams?: "refused" | "dropped" | "taken";
  /** Whether steered requests leave something in the prefix cache that plain ones read. */
  prefixCache?: "isolated" | "contaminated";
  /** Whether `cache_salt` keeps it from them. */
  cacheSalt?: "isolates" | "does not isolate";
  /** Tensors as the bytes of a route of their own. */
  binary?: boolean;
}

/** What was found, by model id. */
export interface Behaviours {
  of(model: string): ServerBehaviour;
  /** Of the last self-test. */
  fingerprint(model: string): ServerFingerprint | undefined;
  /** Adds to what is known. */
  learn(model: string, found: ServerBehaviour, fingerprint?: ServerFingerprint): void;
}

export function makeBehaviours(): Behaviours {
  const known = new Map<string, ServerBehaviour>();
  const fingerprints = new Map<string, ServerFingerprint>();
  const of = (model: string) => known.get(model) ?? {};
  return {
    of,
    fingerprint: (model) => fingerprints.get(model),
    learn(model, found, fingerprint) {
      known.set(model, { ...of(model), ...found });
      if (fingerprint) fingerprints.set(model, fingerprint);
    },
  };
}
