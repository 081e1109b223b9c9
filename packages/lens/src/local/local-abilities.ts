import type { Capture, CapturedToken, LensOptions } from "../lens-types.ts";
import type { Direction } from "../steering/direction.ts";

/** A prompt to be run for the logit lens. */
export interface LogitLensPrompt {
  /** One text or one list of token ids. */
  prompt: string | readonly number[];
  /** Default true: those that the model adds to a text, such as BOS. */
  add_special_tokens?: boolean;
}

export interface LogitLensOptions extends LensOptions {
  /** −1 is the token embeddings. Default: every layer from 0, and of a capture those that it holds. */
  layers?: readonly number[];
  /** Absolute positions, a negative one counted from the last captured one. Default: all. */
  positions?: readonly number[];
  /** Likeliest tokens to name at each (10). */
  top?: number;
}

/** A token and how likely it is, in nats. */
export interface LikelyToken {
  readonly id: number;
  readonly text: string;
  readonly logprob: number;
}

/** What one row says of the next token. */
export interface LogitLensReading {
  readonly layer: number;
  readonly position: number;
  /** The token that stands at the position. */
  readonly token: CapturedToken;
  /** The likeliest next tokens, in falling order. */
  readonly top: readonly LikelyToken[];
  /** Of the distribution over the whole vocabulary, in nats. */
  readonly entropy: number;
  /** KL(final ‖ layer) = Σ p_final (log p_final − log p_layer) over the whole vocabulary, in nats; 0 at the last layer. */
  readonly kl: number;
}

/** Rows read as if their layer were the last one: softmax(unembedding · finalNorm(row)). Source: nostalgebraist 2020, "interpreting GPT: the logit lens". */
export interface LogitLens {
  readonly model: string;
  /** Ascending. */
  readonly layers: readonly number[];
  /** Absolute, as they were asked for. */
  readonly positions: readonly number[];
  /** The tokens at `positions`. */
  readonly tokens: readonly CapturedToken[];
  /** How many tokens are named at each layer and position. */
  readonly top: number;
  /** `[layers, positions, top]` token ids, the likeliest first. */
  readonly topIds: Int32Array;
  /** `[layers, positions, top]`, in nats. */
  readonly topLogprobs: Float64Array;
  /** `[layers, positions]`, in nats. */
  readonly entropy: Float64Array;
  /** `[layers, positions]`: KL(final ‖ layer), in nats. */
  readonly kl: Float64Array;
  /** One layer at one position. Errors `layer_not_captured`, `position_out_of_range`. */
  at(place: { layer: number; position: number }): LogitLensReading;
}

export interface TopTokensOptions extends LensOptions {
  /** Tokens at each end (10). */
  count?: number;
  /**
   * Default true: the direction is multiplied by the final norm's weight first, as the model's own read-out of it would be. False: the
   * bare product with the unembedding.
   */
  normScale?: boolean;
}

/** A token and its product with a direction. */
export interface ScoredToken {
  readonly id: number;
  readonly text: string;
  readonly score: number;
}

/** The tokens that a direction writes: the two ends of unembedding · (γ ⊙ direction), γ the final norm's weight, or 1. */
export interface DirectionTokens {
  /** The highest scores, falling. */
  readonly top: readonly ScoredToken[];
  /** The lowest scores, rising. */
  readonly bottom: readonly ScoredToken[];
}

/** A token id, or a text that is exactly one token of the model. */
export type OneToken = number | string;

/**
 * What needs the weights of the model, and so a local one: `openLocal` of `@residua/engine`. The methods of a lens that reads a
 * server reject with ResiduaError `not_available`.
 */
export interface LocalAbilities {
  /**
   * The logit lens of a prompt, which is run with float32 rows, or of a capture, whose rows are as they were captured (bfloat16) and among
   * whose layers the last must be, for the final distribution. A capture of another model in this process is refused by its checkpoint, one
   * of a server only by its shape. Errors `invalid_option`, `layer_not_captured`,
   * `position_out_of_range`, `other_model`.
   */
  logitLens(of: Capture | LogitLensPrompt, options?: LogitLensOptions): Promise<LogitLens>;
  /** The tokens that a direction `[hiddenSize]` raises and lowers. Errors `invalid_option`, SteeringError `steering_width`, `steering_zero_vector`. */
  topTokens(direction: ArrayLike<number> | Direction, options?: TopTokensOptions): Promise<DirectionTokens>;
  /** `[hiddenSize]`: the token's row of the unembedding matrix, without the final norm's weight. Error `invalid_option`. */
  unembedding(token: OneToken, options?: LensOptions): Promise<Float32Array>;
  /** `[hiddenSize]`: the token's embedding, which layer −1 has where it stands. Error `invalid_option`. */
  embedding(token: OneToken, options?: LensOptions): Promise<Float32Array>;
}
