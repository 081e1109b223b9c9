import {
  describeModel,
  type Known,
  largestHiddenSize,
  type ModelDescription,
  widthOf,
} from "../../catalogue/model-description.ts";
import type { ProfileName } from "../../profiles.ts";
import { defaultMaxTokens, promptList } from "../completion-request.ts";
import type { WireSteeringVector } from "../fields/wire-steering.ts";
import { layersOfText, steeringOfText } from "../fields/vllm-xargs.ts";
import { textTokens } from "../tokens/text-tokens.ts";
import { between, type Count, count } from "./count.ts";

/** The fields that rules read, whatever the profile. Null is gone: it counts as left out. */
export interface CheckedRequest {
  model?: string;
  prompt?: string | readonly string[] | readonly number[] | readonly (readonly number[])[];
  prompt_embeds?: string | readonly string[];
  max_tokens?: number;
  min_tokens?: number;
  n?: number;
  best_of?: number;
  temperature?: number;
  echo?: boolean;
  logprobs?: number;
  prompt_logprobs?: number;
  logprob_token_ids?: readonly number[];
  stop_token_ids?: readonly number[];
  allowed_token_ids?: readonly number[];
  logit_bias?: Readonly<Record<string, number>>;
  use_beam_search?: boolean;
  truncate_prompt_tokens?: number;
  stream?: boolean;
  stream_options?: Readonly<Record<string, unknown>>;
  add_special_tokens?: boolean;
  output_residual_stream?: boolean | readonly number[];
  apply_steering_vectors?: readonly WireSteeringVector[];
  vllm_xargs?: Readonly<Record<string, unknown>>;
  continue_final_message?: boolean;
  add_generation_prompt?: boolean;
}

/** What is known beside the request when it is checked. */
export interface Knowledge {
  /** As the catalogue has it. Left out when that was not asked or could not be read: then the built-in table serves. */
  model?: ModelDescription | undefined;
  /** Why there is no `model`. */
  modelReason?: string | undefined;
  /** Tokens of each prompt as a tokenizer counted them; undefined, or undefined for a prompt, where there is no count. */
  tokens?: readonly (number | undefined)[] | undefined;
  tokensReason?: string | undefined;
  /** What the vocabulary is known to hold, where no description states it. */
  vocabulary?: Vocabulary | undefined;
}

/** Ids below `least` are in the vocabulary; those from `most` on are not. */
export interface Vocabulary {
  least: number;
  most: number;
}

/** A request as the rules see it. */
export interface RequestFacts {
  readonly profile: ProfileName;
  readonly request: CheckedRequest;
  readonly prompts: number;
  readonly n: number;
  /** 16, OpenAI's default, when left out. */
  readonly maxTokens: number;
  /** Layers that are captured: a list, or true for all. */
  readonly capture: readonly number[] | true | undefined;
  readonly steering: readonly WireSteeringVector[] | undefined;
  /** The number of layers that are captured. */
  captureLayers(): Count;
  /** Tokens of each prompt. Counting takes time on long texts, so it is done when first asked for. */
  promptTokens(): readonly Count[];
  hiddenSize(): Count;
  /** The width that vectors must have; also one that was merely observed. Undefined where it is not known. */
  readonly width: number | undefined;
  /** Undefined where it is not known. */
  readonly layers: number | undefined;
  contextLength(): Count;
  vocabularySize(): Count;
}

export function requestFacts(
  profile: ProfileName,
  request: CheckedRequest,
  knowledge: Knowledge = {},
): RequestFacts {
  const model = knowledge.model ?? describeModel(request.model ?? "", []);
  const reason = knowledge.model
    ? "the catalogue does not state it"
    : (knowledge.modelReason ?? "the catalogue was not asked");
  /** The width that the hosted API counts with for a model that its catalogue does not have; no other server says so. */
  const countsDefault = profile === "acs" && knowledge.model !== undefined;
  const prompts = promptList(request);
  const xargs = request.vllm_xargs ?? {};
  const layers =
    profile === "vllm" ? xargLayers(xargs["output_residual_stream"]) : request.output_residual_stream;
  const steering =
    profile === "vllm" ? xargSteering(xargs["apply_steering_vectors"]) : request.apply_steering_vectors;
  const capture = layers === false ? undefined : layers;
  let tokens: readonly Count[] | undefined;

  return {
    profile,
    request,
    prompts: prompts.length,
    n: request.n ?? 1,
    maxTokens: request.max_tokens ?? defaultMaxTokens,
    capture,
    steering,
    captureLayers() {
      if (capture !== true) return count(capture?.length ?? 0, "layers");
      const known = said(model.layers);
      return between(
        known ?? 1,
        known ?? Infinity,
        "layers",
        `the model's number of layers is not known: ${reason}`,
      );
    },
    promptTokens() {
      return (tokens ??= prompts.map((prompt, i) =>
        textTokens(prompt, {
          addSpecialTokens: request.add_special_tokens ?? true,
          exact: knowledge.tokens?.[i],
          reason: knowledge.tokensReason,
        }),
      ));
    },
    hiddenSize() {
      const { value, source } = model.hiddenSize;
      const known = source !== "default" || countsDefault ? value : undefined;
      const most = profile === "acs" ? largestHiddenSize : Infinity;
      return between(
        known ?? 1,
        known ?? most,
        "hidden size",
        `the model's hidden size is not known: ${reason}`,
      );
    },
    width: widthOf(model),
    layers: said(model.layers),
    contextLength() {
      const known = said(model.contextLength);
      return between(known ?? 0, known ?? Infinity, "tokens", `the context length is not known: ${reason}`);
    },
    vocabularySize() {
      const known = said(model.vocabSize);
      const { least = 0, most = Infinity } =
        known === undefined ? (knowledge.vocabulary ?? {}) : { least: known, most: known };
      return between(least, most, "tokens", `the size of the vocabulary is not known: ${reason}`);
    },
  };
}

/** What was merely observed serves no limit. */
function said<T>({ value, source }: Known<T | undefined>): T | undefined {
  return source === "observed" ? undefined : value;
}

function xargLayers(value: unknown): readonly number[] | true | undefined {
  return typeof value === "string" ? layersOfText(value) : (value as readonly number[] | true | undefined);
}

function xargSteering(value: unknown): readonly WireSteeringVector[] | undefined {
  return typeof value === "string" ? steeringOfText(value) : undefined;
}
