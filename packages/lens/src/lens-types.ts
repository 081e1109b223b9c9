import type { Completion, CompletionRequest, ModelDescription, ProfileName } from "@residua/client";
import type { EncodeChatRequest } from "./chat/encode-chat-request.ts";
import type { EncodedChat } from "./chat/encoded-chat.ts";
import type { ServerFingerprint } from "./self-test/server-fingerprint.ts";
import type { SelfTestOptions, SelfTestReport } from "./self-test/self-test.ts";
import type { LayerChoices } from "./layers/layer-choice.ts";
import type {
  CaptureOutcome,
  FanOutRequest,
  FanOutRequests,
  GenerateOutcome,
  ManyOptions,
  ManyRun,
} from "./fan-out/fan-out-types.ts";
import type { HookBlob } from "./hooks/hook-blob.ts";
import type { Hooks } from "./hooks/make-hooks.ts";
import type { Intervention } from "./interventions/intervention.ts";
import type { LocalAbilities } from "./local/local-abilities.ts";
import type { CapturePlan, PlanRequest } from "./plan/plan-types.ts";
import type { LensProfile } from "./profiles/lens-profile.ts";
import type { ServerFacts } from "./profiles/server-facts.ts";
import type { SteeringReport } from "./steering/proof/verify-steering.ts";
import type { SteeringVector } from "./steering/steering-vector.ts";

export interface LensOptions {
  signal?: AbortSignal;
}

/** Wire fields that lens writes itself, or that a request of one prompt and one choice cannot have. */
type NotForOne =
  | "model"
  | "prompt"
  | "n"
  | "best_of"
  | "stream"
  | "stream_options"
  | "use_beam_search"
  | "output_residual_stream"
  | "apply_steering_vectors"
  | "vllm_xargs"
  | "prompt_embeds"
  | "request_id";

/** A completion request of one prompt and one choice, with steering vectors beside the wire's own fields. */
export type GenerateRequest<P extends ProfileName = "acs"> = Omit<CompletionRequest<P>, NotForOne> & {
  /** Default: the only model of the server's catalogue. */
  model?: string;
  /** One text or one list of token ids. */
  prompt: string | number[];
  /** At most 8. An empty list is the comparison of steered requests: it reads nothing from the prefix cache, where that can be said. */
  steering?: readonly SteeringVector[];
  /**
   * Ablation and clamping, made in their order after the steering of the same layer. At a local model (`openLocal` of
   * `@residua/engine`); elsewhere refused (`not_available`).
   */
  interventions?: readonly Intervention[];
  /** Hooks that were made elsewhere, for this request alone: code that the server runs. `readHookResults` reads what they save. */
  hooks?: readonly HookBlob[];
  /**
   * Proves the steering first, with captures of its own: one with the vectors, and one for each steered layer without them.
   * `"first layer"` proves the lowest one, with two captures.
   */
  verify?: boolean | "first layer";
};

/** A completion and what was checked of its steering. */
export type SteeredCompletion = Completion & {
  /** Not enumerable: the completion prints and copies as the server sent it. */
  readonly checks: readonly CaptureCheck[];
};

/** The same with layers to capture. A capture shows the steered stream. */
export type CaptureRequest<P extends ProfileName = "acs"> = Omit<
  GenerateRequest<P>,
  "echo" | "max_tokens" | "temperature"
> & {
  /** Default 1: only the prompt's positions are captured. */
  max_tokens?: number;
  /** Default 0. */
  temperature?: number;
  /**
   * Layers from 0 in any order, `layerRange` and `depth` among them; or every layer. A layer that is named twice is refused
   * or merged as the server's profile says. Layer −1, the token embeddings, only a local model has.
   */
  layers: LayerChoices;
  /**
   * A capture that is over the limit is sent as several requests of some layers each, one after the other, and merged. The
   * answers must agree token by token, so a sampled request needs a seed. Default false: it is refused.
   */
  split?: boolean;
  /**
   * The numbers come as bytes of a route of their own instead of base64 in the answer, where the server can (vllm-lens
   * 1.3). Default false.
   */
  binary?: boolean;
};

export interface CapturedToken {
  /** null where the server did not tell; never guessed. */
  id: number | null;
  text: string | null;
  role: "prompt" | "generated";
}

/** One check of an answer. A failed one is an error, so a capture holds only these two. */
export interface CaptureCheck {
  code: string;
  status: "pass" | "unverified";
  detail: string;
}

/** One request's residual stream, verified: layers × positions × hidden size. */
export interface Capture {
  /** The id that was sent. */
  readonly model: string;
  /** Ascending. */
  readonly layers: readonly number[];
  readonly hiddenSize: number;
  /** prompt + generated − 1: the last sampled token is never fed back. */
  readonly positions: number;
  readonly dtype: "bfloat16" | "float16" | "float32";
  /** As it was sent. */
  readonly prompt: string | readonly number[];
  /** The model's BOS token, where it is known: null else. */
  readonly bosTokenId: number | null;
  /** Prompt, then generated tokens: one more than `positions`. Row p is the stream at token p. */
  readonly tokens: readonly CapturedToken[];
  readonly checks: readonly CaptureCheck[];
  /** What is known of the server, to be stored beside what is measured on this capture. */
  readonly server: ServerFacts;
  /** The answer without its activations, which live in this capture only. */
  readonly completion: Completion;
  /** `[hiddenSize]`, a copy. A negative position counts from the last captured one. */
  row(at: { layer: number; position: number }): Float32Array;
  /** `[hiddenSize]` bfloat16 bits, a copy. Error `not_bfloat16` when the server sent another type. */
  rowBits(at: { layer: number; position: number }): Uint16Array;
  /**
   * `[positions, hiddenSize]`, a copy. `into`: filled and returned instead of a new array, and exactly as long. Error
   * `layer_not_captured`.
   */
  layer(layer: number, into?: Float32Array): Float32Array;
  /** `[layers, hiddenSize]`: one position in every layer, a copy. Error `position_out_of_range`. */
  position(position: number): Float32Array;
  /** The rows of a layer in order of position, each `[hiddenSize]`, a copy made when it is reached. */
  rows(layer: number): Iterable<Float32Array>;
  /** The layers in ascending order, each `[positions, hiddenSize]`, a copy made when it is reached. */
  eachLayer(): Iterable<{ layer: number; values: Float32Array }>;
  /**
   * `[positions, hiddenSize]`: a window on the capture's own numbers, not a copy. Bits of a bfloat16 or float16 capture,
   * float32 values else. It keeps the whole capture alive, and writing to it changes the capture.
   */
  view(layer: number): Float32Array | Uint16Array;
}

/** Captures and steers at one server, typed by its profile. */
export interface Lens<P extends ProfileName = "acs"> {
  /** Hooks that stay on the server (vllm-lens 1.2 and later), relayed. */
  readonly hooks: Hooks;
  /** How requests are written and answers read. */
  readonly profile: LensProfile;
  /** What needs the weights of the model: methods of a lens that reads a server reject with `not_available`. */
  readonly local: LocalAbilities;
  /** What is known of the model, and from where. */
  describe(model?: string): Promise<ModelDescription>;
  /**
   * Captures the residual stream of one prompt and verifies the answer. Throws CaptureLimitError, SteeringError or
   * InvalidRequestError before sending; VerificationError or TensorError when the answer is not what was asked for.
   */
  capture(request: CaptureRequest<P>, options?: LensOptions): Promise<Capture>;
  /**
   * What captures of many prompts will come to, and over how many requests, before anything is captured. The catalogue is
   * asked, and a server that counts tokens. Throws InvalidRequestError that names the request, and `invalid_option`.
   */
  planCapture(request: PlanRequest<P>, options?: LensOptions): Promise<CapturePlan<P>>;
  /**
   * The tokens of a conversation as the model's chat template writes it, and which of them are whose. Nothing is sampled. Throws
   * ChatError where that cannot be told exactly, and `not_available` for a server that shows no template.
   */
  encodeChat(request: EncodeChatRequest, options?: LensOptions): Promise<EncodedChat>;
  /**
   * Samples a completion, steered. Several prompts or choices are sent as requests of their own, with the seeds that the server
   * would have used, and come back as one completion. Throws SteeringError or InvalidRequestError before sending; with `verify` also
   * VerificationError when the server does not steer as asked; of several, what the first that fails throws.
   */
  generate(request: FanOutRequest<GenerateRequest<P>>, options?: LensOptions): Promise<SteeredCompletion>;
  /**
   * Captures many: several prompts, several choices of each, or a list of such requests that is read as it is needed. Each
   * choice is a request of its own, as many at once as the server takes. One that fails is an outcome and does not end the run.
   * Throws what ends it: `invalid_option`, APIAbortError, and what the list itself throws.
   */
  captureMany(requests: FanOutRequests<CaptureRequest<P>>, options?: ManyOptions): ManyRun<CaptureOutcome>;
  /** The same of completions, steered or not. */
  generateMany(requests: FanOutRequests<GenerateRequest<P>>, options?: ManyOptions): ManyRun<GenerateOutcome>;
  /** Proves the steering of a request and samples nothing else: the checks, and the measurements row by row. */
  verifySteering(request: GenerateRequest<P>, options?: LensOptions): Promise<SteeringReport>;
  /**
   * Tries what this server really does, check by check, with a few dozen short requests, and builds later requests by it. Harmless to
   * others unless `intrusive`. Throws `invalid_option`, and what a plain completion throws.
   */
  selfTest(options?: SelfTestOptions): Promise<SelfTestReport>;
  /** What the last self-test of a model told of its server; undefined before there was one. */
  fingerprint(model: string): ServerFingerprint | undefined;
}
