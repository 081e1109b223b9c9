import type { ModelDescription, WireSteeringVector } from "@residua/client";
import type { LensCore } from "../lens-core.ts";
import { freshSalt } from "../profiles/own-salt.ts";
import { makeDirections } from "./directions.ts";
import type { Facts } from "./probe-server.ts";
import { mark, sentence } from "./test-prompts.ts";
import { type Rows, type SelfTestRequests, wireVector } from "./self-test-requests.ts";

/** Weights for the check of the last layer: they are not on the wire. */
export interface Unembedding {
  /** The weight of the final norm, an RMSNorm. `[hiddenSize]` */
  finalNorm: ArrayLike<number>;
  /** What the norm adds to the mean square (`rms_norm_eps`). */
  epsilon: number;
  /** A token's row of the unembedding (`lm_head`, or the embedding where they are tied). `[hiddenSize]` */
  row(token: number): ArrayLike<number> | Promise<ArrayLike<number>>;
}

/** What the checks share: one prompt, what is known of the model, and captures that are made once. */
export interface SelfTestContext extends SelfTestRequests, Facts {
  readonly core: LensCore;
  readonly model: ModelDescription;
  readonly intrusive: boolean;
  readonly unembedding: Unembedding | undefined;
  /** The layer that is steered, and the next ones as far as there are any. */
  readonly steered: number;
  /** Layers of the shared captures: the first, around the steered one, and the last two. */
  readonly layers: readonly number[];
  /** Capture of the prompt, plain. */
  readonly plain: () => Promise<Rows>;
  /** Directions at the steered layer: orthogonal to each other and to the plain rows, half as long as those. */
  readonly directions: () => Promise<readonly Float32Array[]>;
  /** One of them at the steered layer, by number, as the wire has it. */
  readonly vector: (which: number, options?: Parameters<typeof wireVector>[2]) => Promise<WireSteeringVector>;
  /** Capture of the prompt with direction 0 added at every position. */
  readonly withVector: () => Promise<Rows>;
  /** A text that nobody has sent: the prompt's sentence behind a fresh mark. */
  readonly freshText: () => string;
  /** Token ids that nobody has sent together, from those of the prompt. Empty where these are not known. */
  readonly freshTokens: (length: number) => number[];
  /** Tokens of a prompt that is longer than two blocks of the prefix cache, as far as the model takes them. */
  readonly longPrompt: number;
  /** Fields that keep a model from ending early, where the server has any. */
  readonly goOn: object;
  /** A salt of its own for each request that is steered, so that nothing of it stays for others. */
  readonly salt: () => string;
}

export function makeContext(
  parts: Pick<SelfTestContext, "core" | "model" | "intrusive" | "unembedding"> & {
    requests: SelfTestRequests;
    facts: Facts;
  },
): SelfTestContext {
  const { requests, facts, core, ...rest } = parts;
  const { layerCount, text, tokens, blockTokens } = facts;
  const steered = Math.max(0, Math.min(Math.max(1, Math.floor(layerCount / 3)), layerCount - 3));
  const around = [0, steered - 1, steered, steered + 1, steered + 2, layerCount - 2, layerCount - 1];
  const layers = [...new Set(around)]
    .filter((layer) => layer >= 0 && layer < layerCount)
    .sort((a, b) => a - b);

  const plain = once(() => requests.capture({ prompt: text, layers }));
  const directions = once(async () => makeDirections((await plain()).of(steered), 6));
  const vector: SelfTestContext["vector"] = async (which, options) =>
    wireVector(steered, (await directions())[which] ?? new Float32Array(), options);
  const context = parts.model.contextLength.value ?? 1024;

  return {
    ...requests,
    ...facts,
    ...rest,
    core,
    steered,
    layers,
    plain,
    directions,
    vector,
    withVector: once(async () =>
      requests.capture({ prompt: text, layers, steering: [await vector(0)], cacheSalt: freshSalt() }),
    ),
    freshText: () => sentence(mark()),
    freshTokens: (length) =>
      tokens === undefined
        ? []
        : [...tokens.slice(0, 1), ...draw(length - 1).map((x) => tokens[1 + (x % (tokens.length - 1))] ?? 0)],
    longPrompt: Math.min(Math.floor(context / 2), Math.max(160, 2 * blockTokens + 40)),
    goOn: core.client.profile === "vllm" ? { ignore_eos: true } : {},
    salt: freshSalt,
  };
}

const draw = (count: number): number[] => [...crypto.getRandomValues(new Uint32Array(count))];

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
