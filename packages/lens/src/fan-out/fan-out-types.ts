import type { ResiduaError, SampleManyOptions, UsageSum } from "@residua/client";
import type { Capture, SteeredCompletion } from "../lens-types.ts";

/** A request of several prompts, of several choices of each, or of both: each choice is sent as a request of its own. */
export type FanOutRequest<R extends { prompt: unknown }> = Omit<R, "prompt"> & {
  /** One prompt, or a list of texts or of lists of token ids. */
  prompt: R["prompt"] | readonly string[] | readonly (readonly number[])[];
  /** Choices of each prompt (1). Above 1 at temperature 0 is refused: all would be the same. */
  n?: number | null;
};

/** One request, or a list of them that is read as it is needed. */
export type FanOutRequests<R extends { prompt: unknown }> =
  FanOutRequest<R> | Iterable<FanOutRequest<R>> | AsyncIterable<FanOutRequest<R>>;

/** As `client.completions.sampleMany` takes them, with other defaults; its journal and packs do not go with captures and steering. */
export interface ManyOptions extends Omit<
  SampleManyOptions,
  "journal" | "pack" | "ordered" | "seed" | "window"
> {
  /** Outcomes in the order p·n + i (true), or as they finish. */
  ordered?: boolean;
  /**
   * Requests started whose outcome was not taken, at most. Default: twice `concurrency`. Each may hold an undecoded answer.
   */
  window?: number;
  /**
   * Base of the seeds of requests that have none: choice k of the run gets `seed` + k. Drawn at random when left out, so that
   * each outcome can be had again by its seed.
   */
  seed?: number;
}

/** Which of the run's choices this is. */
export interface Place {
  /** Place in the run, from 0: p · n + i where there is one request. */
  readonly index: number;
  /** Which prompt of the run, from 0. */
  readonly prompt: number;
  /** Which choice of its prompt, from 0. */
  readonly choice: number;
  /** What it was sampled with; undefined at temperature 0 without a seed of the request's own. */
  readonly seed: number | undefined;
}

interface Failed extends Place {
  /** InvalidRequestError, CaptureLimitError, SteeringError, APIError, VerificationError, … */
  readonly error: ResiduaError;
}

/** What became of one capture: `capture` or `error`, never both. */
export type CaptureOutcome =
  | (Place & { readonly capture: Capture; readonly error?: undefined })
  | (Failed & { readonly capture?: undefined });

/** What became of one completion: `completion` or `error`, never both. */
export type GenerateOutcome =
  | (Place & { readonly completion: SteeredCompletion; readonly error?: undefined })
  | (Failed & { readonly completion?: undefined });

/** The outcomes of a run, to be looped over once. Leaving the loop aborts what is in flight. */
export interface ManyRun<O> extends AsyncGenerator<O, void, undefined> {
  /**
   * Tokens of the outcomes so far, as one request would count them: each prompt once, and all choices; and so for each of the
   * requests of a capture that was split.
   */
  readonly usage: UsageSum;
}
