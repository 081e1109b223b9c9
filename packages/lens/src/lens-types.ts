import type { Completion, CompletionRequest, ModelDescription, ProfileName } from "@residua/client";
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
import type { CapturePlan, PlanRequest } from "./plan/plan-types.ts";
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
  | "prompt_embeds";

/** A completion request of one prompt and one choice, with steering vectors beside the wire's own fields. */
export type GenerateRequest<P extends ProfileName = "acs"> = Omit<CompletionRequest<P>, NotForOne> & {
  /** Default: the only model of the server's catalogue. */
  model?: string;
  /** One text or one list of token ids. */
  prompt: string | number[];
  steering?: readonly SteeringVector[];
  /** Hooks that were made elsewhere, for this request alone: code that the server runs. `readHookResults` reads what they save. */
  hooks?: readonly HookBlob[];
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
   * or merged as the server's profile says.
   */
  layers: LayerChoices;
  /**
   * A capture that is over the limit is sent as several requests of some layers each, one after the other, and merged. The
   * answers must agree token by token, so a sampled request needs a seed. Default false: it is refused.
   */
  split?: boolean;
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
  /** The answer without its activations, which live in this capture only. */
  readonly completion: Completion;
  /** `[hiddenSize]`, a copy. A negative position counts from the last captured one. */
  row(at: { layer: number; position: number }): Float32Array;
  /** `[hiddenSize]` bfloat16 bits, a copy. Error `not_bfloat16` when the server sent another type. */
  rowBits(at: { layer: number; position: number }): Uint16Array;
  /** `[positions, hiddenSize]`, a copy. Error `layer_not_captured`. */
  layer(layer: number): Float32Array;
}

/** Captures and steers at one server, typed by its profile. */
export interface Lens<P extends ProfileName = "acs"> {
  /** Hooks that stay on the server (vllm-lens 1.2 and later), relayed. */
  readonly hooks: Hooks;
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
   * Samples a completion, steered. Several prompts or choices are sent as requests of their own, with the seeds that the server
   * would have used, and come back as one completion. Throws SteeringError or InvalidRequestError before sending, and what the
   * first of several that fails throws.
   */
  generate(request: FanOutRequest<GenerateRequest<P>>, options?: LensOptions): Promise<Completion>;
  /**
   * Captures many: several prompts, several choices of each, or a list of such requests that is read as it is needed. Each
   * choice is a request of its own, as many at once as the server takes. One that fails is an outcome and does not end the run.
   * Throws what ends it: `invalid_option`, APIAbortError, and what the list itself throws.
   */
  captureMany(requests: FanOutRequests<CaptureRequest<P>>, options?: ManyOptions): ManyRun<CaptureOutcome>;
  /** The same of completions, steered or not. */
  generateMany(requests: FanOutRequests<GenerateRequest<P>>, options?: ManyOptions): ManyRun<GenerateOutcome>;
}
