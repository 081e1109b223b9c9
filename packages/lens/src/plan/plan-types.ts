import type { ProfileName, PromptCount } from "@residua/client";
import type { CaptureRequest } from "../lens-types.ts";
import type { Selection } from "../select/selection.ts";
import type { Bounds } from "./bounds.ts";
import type { CaptureRate } from "./capture-rates.ts";

/** Captures to plan: prompts that are all captured alike, or requests; what stands beside them holds for each that lacks it. */
export type PlanRequest<P extends ProfileName = "acs"> = Partial<
  Omit<CaptureRequest<P>, "prompt" | "split">
> & {
  prompts?: readonly (string | number[])[];
  requests?: readonly (Partial<CaptureRequest<P>> & Pick<CaptureRequest<P>, "prompt">)[];
  /** What will be kept of each capture, for its size on disk. Default: everything. */
  select?: Selection | Readonly<Record<string, Selection>>;
  /**
   * What captures are known to take, such as `plan.rate` of an earlier plan. Default: as measured by this lens; unknown
   * before its first capture of the model.
   */
  rate?: CaptureRate;
  /** `false`: texts are not counted by a tokenizer or the server, and their bytes give bounds. */
  countTokens?: boolean;
};

/** One capture of a plan. */
export interface PlannedCapture<P extends ProfileName = "acs"> {
  /** Of the prompt or request. */
  readonly index: number;
  /** As `lens.capture` takes it: layers by number where their number is known, `split: true` where one request is not enough. */
  readonly request: CaptureRequest<P>;
  /** The prompt's tokens, and what their number rests on. */
  readonly tokens: PromptCount;
  /** `unknown`: what is not known decides, and so does the server. `never`: not one layer, or not the tokens, have room. */
  readonly fits: "fits" | "unknown" | "never";
  /** Layers of each request that will be sent; `"all"` for a model whose number of layers is not known. Empty: nothing fits. */
  readonly requests: readonly (readonly number[] | "all")[];
  /** Why it does not fit, or is not known to. */
  readonly reason?: string;
  /** Numbers that come back: layers × (prompt + generated − 1) × hidden size. Undefined where one of them is not known. */
  readonly numbers: Bounds | undefined;
  readonly diskBytes: Bounds | undefined;
}

/** What captures will come to, before anything is captured. Sums leave out what can never fit. */
export interface CapturePlan<P extends ProfileName = "acs"> {
  /** In the order that they were given. */
  readonly captures: readonly PlannedCapture<P>[];
  /** Of captures that can never fit, their indices. */
  readonly tooLarge: readonly number[];
  /** How many requests will be sent. */
  readonly requests: number;
  /** Undefined where it is not known. */
  readonly numbers: Bounds | undefined;
  /** Of the answers' bodies, about. */
  readonly wireBytes: Bounds | undefined;
  /** Of the rows that are kept; a file adds token texts and its own form. */
  readonly diskBytes: Bounds | undefined;
  /** One request at a time. */
  readonly seconds: Bounds | undefined;
  /** What `seconds` rests on: can be stored and given to another plan. */
  readonly rate: CaptureRate | undefined;
  /** What each sum rests on, or why it is not known. */
  readonly basis: Readonly<Record<"tokens" | "numbers" | "wireBytes" | "diskBytes" | "seconds", string>>;
}
