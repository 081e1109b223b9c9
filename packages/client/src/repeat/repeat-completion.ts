import type { RequestOptions } from "../client-types.ts";
import { InvalidRequestError } from "../requests/invalid-request-error.ts";
import type { Completion } from "../responses/completion.ts";
import { followSignal } from "../transport/follow-signal.ts";
import { compareChoices, type RepeatedChoice } from "./compare-choices.ts";

/** How a request is repeated; the other options are those of each request. */
export interface RepeatOptions extends RequestOptions {
  /** How often the request is sent (5), at least twice. */
  times?: number;
  /** How many are under way at one time (4). More are batched with each other, as they are with others' requests. */
  concurrency?: number;
}

/** The fields that matter here, of any profile's request. */
interface Repeatable {
  temperature?: number | null | undefined;
  seed?: number | null | undefined;
  stream?: boolean | null | undefined;
  logprobs?: number | null | undefined;
}

/** What the same request was answered, several times. */
export interface RepeatReport {
  /** The answers, in the order in which they were sent. */
  completions: Completion[];
  /** Choice by choice. */
  choices: RepeatedChoice[];
  /** Whether each choice had one text in all answers. */
  agree: boolean;
  /** The greatest max − min of one token's log probability. A difference between requests no larger than this is none. */
  noise: number | undefined;
  /** Each `system_fingerprint` that came; several mean that several servers, or settings, answered. */
  fingerprints: string[];
  /** How to read this. */
  note: string;
}

/** After "Sample continuations", Get the same tokens again. */
const note =
  "The server batches a request with others. The batch can change a log probability by a little, and now and then a token " +
  "where two tokens are almost equally likely. Read a small difference as no difference.";

/** Enough for the likeliest token and the next, whose distance says whether a token was nearly another. */
const defaultLogprobs = 2;

/**
 * Sends a request several times and compares the answers. Throws InvalidRequestError for one that need not repeat; the
 * first failure of a request ends the others and is thrown.
 */
export async function repeatCompletion<R extends Repeatable>(
  create: (request: R, options: RequestOptions) => Promise<Completion>,
  request: R,
  { times = 5, concurrency = 4, signal, ...options }: RepeatOptions = {},
): Promise<RepeatReport> {
  refuse(request, { times, concurrency });
  const sent = request.logprobs === undefined ? { ...request, logprobs: defaultLogprobs } : request;
  const controller = new AbortController();
  const unfollow = followSignal(signal, controller);
  const completions: Completion[] = [];
  let next = 0;
  const send = async () => {
    while (next < times) {
      const at = next++;
      completions[at] = await create(sent, { ...options, signal: controller.signal });
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, times) }, send));
  } finally {
    controller.abort();
    unfollow();
  }
  return report(completions);
}

function report(completions: Completion[]): RepeatReport {
  const [first] = completions;
  const choices = (first?.choices ?? []).map((_, index) =>
    compareChoices(completions.flatMap((completion) => completion.choices[index] ?? [])),
  );
  const noises = choices.flatMap(({ noise }) => noise ?? []);
  return {
    completions,
    choices,
    agree: choices.every(({ texts }) => texts.length === 1),
    noise: noises.length > 0 ? Math.max(...noises) : undefined,
    fingerprints: [...new Set(completions.flatMap((completion) => completion.system_fingerprint ?? []))],
    note,
  };
}

function refuse(request: Repeatable, counts: { times: number; concurrency: number }): void {
  const least = { times: 2, concurrency: 1 };
  for (const name of ["times", "concurrency"] as const) {
    if (Number.isSafeInteger(counts[name]) && counts[name] >= least[name]) continue;
    const allowed = `a whole number from ${least[name]}`;
    throw new InvalidRequestError([{ field: name, given: String(counts[name]), allowed }]);
  }
  if (request.stream === true) {
    throw new InvalidRequestError([
      { field: "stream", given: "true", allowed: "false: repeat reads whole answers" },
    ]);
  }
  // vLLM takes -1 for no seed.
  if (request.temperature === 0 || (request.seed ?? -1) >= 0) return;
  throw new InvalidRequestError([
    {
      field: "seed",
      given: "missing",
      allowed: "a seed, or temperature 0, so that the answers can be the same",
      hint: "to sample different answers, use n",
    },
  ]);
}
