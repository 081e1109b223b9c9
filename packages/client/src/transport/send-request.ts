import type { Patience } from "../client-settings.ts";
import { APIAbortError, APIConnectionError, APIError, APITimeoutError } from "./api-error.ts";
import { pause } from "./pause.ts";
import { readBytes, readStream, readWhole } from "./read-answer.ts";
import type { Answer, Failure, OpenAnswer, Try } from "./read-answer.ts";
import type { Redactor } from "./redactor.ts";
import { type Retry, retryOfConnection, waitBefore } from "./retry-policy.ts";
import type { Incoming, Outgoing, Transport } from "./transport.ts";
import { TransportFault } from "./transport-fault.ts";
import { TryClock } from "./try-clock.ts";

export type { Answer, AnswerHead, OpenAnswer } from "./read-answer.ts";

export interface SendOptions extends Patience {
  transport: Transport;
  redact: Redactor;
  signal: AbortSignal | undefined;
  /** Sending it twice gives the same answer. */
  repeatable: boolean;
  /** Keeps a fault that would be tried again from being so; see Call. */
  mayRetry?: ((error: APIError | APIConnectionError) => boolean) | undefined;
  /** A 2xx body for which this holds is an answer even with `error` in it. */
  accepts?: ((body: unknown) => boolean) | undefined;
  /** A 2xx body is taken as it is. */
  bytes?: boolean | undefined;
}

/** So many kept connections in a row may turn out to be closed before that counts as a try. */
const mostStale = 3;

/** Sends, and sends again where the fault allows it. Throws APIError, APIConnectionError, APITimeoutError or APIAbortError. */
export function sendRequest(request: Outgoing, options: SendOptions): Promise<Answer> {
  return withRetries(request, options, options.bytes === true ? readBytes : readWhole);
}

/** The same for an answer that is a stream; one that is JSON after all is read whole and, when no error, refused. */
export function openStream(request: Outgoing, options: SendOptions): Promise<OpenAnswer> {
  return withRetries(request, options, readStream);
}

async function withRetries<T extends object>(
  request: Outgoing,
  options: SendOptions,
  read: (incoming: Incoming, current: Try) => Promise<T | Failure>,
): Promise<T> {
  let stale = 0;
  let failing: number | undefined;
  for (let attempt = 1; ; attempt++) {
    const outcome = await trySending(request, attempt, options, read);
    if (!("retry" in outcome)) return outcome;
    const { error, retry } = outcome;
    if (!isAllowed(retry, options) || options.mayRetry?.(error) === false) throw error;
    if (retry === "stale" && stale < mostStale) {
      stale++;
      attempt--;
      continue;
    }
    failing ??= performance.now();
    const wait = waitFor(error, attempt, options);
    const spent = performance.now() - failing;
    if (wait === undefined || spent + wait > options.maxRetryTime) throw error;
    await pause(wait, options.signal, () => new APIAbortError());
  }
}

/** Milliseconds until the next try; undefined when there is none. */
function waitFor(error: Failure["error"], attempt: number, options: SendOptions): number | undefined {
  const { maxRetries, longestRetryAfter, backoff } = options;
  if (attempt > maxRetries) return undefined;
  const retryAfter = error instanceof APIError ? error.retryAfter : undefined;
  if (retryAfter !== undefined && retryAfter * 1000 > longestRetryAfter) return undefined;
  return waitBefore(attempt, retryAfter, backoff);
}

function isAllowed(fault: Retry, { retry, repeatable }: SendOptions): boolean {
  if (retry === "never" || fault === "never") return false;
  return fault === "always" || fault === "stale" || repeatable || retry === "always";
}

async function trySending<T>(
  request: Outgoing,
  attempt: number,
  options: SendOptions,
  read: (incoming: Incoming, current: Try) => Promise<T | Failure>,
): Promise<T | Failure> {
  const { signal, timeout, transport, redact, maxResponseBytes, accepts } = options;
  if (signal?.aborted) throw new APIAbortError();
  const clock = new TryClock(timeout, signal);
  const explain = (fault: unknown) => explained(fault, { clock, attempt, redact, origin: request.origin });
  try {
    const incoming = await transport.open(request, clock);
    return await read(incoming, { attempt, clock, redact, maxResponseBytes, explain, accepts });
  } catch (fault) {
    return explain(fault);
  }
}

/** The error of a try by what ended it. Throws APIAbortError, and what is no fault of the transport. */
function explained(
  fault: unknown,
  { clock, attempt, redact, origin }: { clock: TryClock; attempt: number; redact: Redactor; origin: string },
): Failure {
  clock.stop();
  const { ended, limits } = clock;
  if (ended === "aborted") throw new APIAbortError();
  if (ended !== undefined) return timedOut(ended);
  if (!(fault instanceof TransportFault)) throw fault;
  const { reason } = fault;
  if (reason === "UND_ERR_CONNECT_TIMEOUT") return timedOut("connect");
  const tries = attempt > 1 ? `, ${attempt} tries` : "";
  const what = fault.answered ? "no whole answer" : "no answer";
  const message = redact(`${what} from ${origin}: ${fault.message} (${reason}${tries})`);
  const code = ownCodes.has(reason) ? reason : "connection_error";
  return {
    error: new APIConnectionError(reason, message, attempt, code),
    retry: retryOfConnection(reason, fault),
  };

  function timedOut(limit: keyof typeof limits): Failure {
    const error = new APITimeoutError(limit, limits[limit], attempt);
    return { error, retry: limit === "connect" ? "always" : "repeatable" };
  }
}

const ownCodes = new Set(["response_too_large", "content_encoding", "proxy_refused"]);
