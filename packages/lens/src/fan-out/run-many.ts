import {
  APIAbortError,
  type Completion,
  type CompletionRequest,
  ResiduaError,
  type SampleOutcome,
} from "@residua/client";
import { typeText } from "../arguments/shown.ts";
import type { LensCore } from "../lens-core.ts";
import type { LensOptions } from "../lens-types.ts";
import { LensOptionError } from "../profiles/lens-option-error.ts";
import { explainFault } from "../verify/nan-poisoning.ts";
import { isGreedy, type Single } from "./expand-request.ts";
import type { ManyOptions, ManyRun, Place } from "./fan-out-types.ts";
import { makeFanOutUsage } from "./fan-out-usage.ts";
import { type Requests, singlesOf, sizeOf } from "./read-singles.ts";

/** What is done with each single request: `R` is what an answered one gives, such as `{ capture }`. */
export interface ManyKind<R extends object> {
  /** What a request without one is sent with; undefined: the server's, which samples. */
  temperature: number | undefined;
  /** The body, and what reads its answer. Throws a ResiduaError that becomes the outcome. */
  prepare(single: Single, options: LensOptions): Promise<PreparedSingle<R>>;
}

export interface PreparedSingle<R extends object> {
  body: object;
  /** Answers to further requests that reading the first one sent. */
  further?: readonly Completion[];
  read(completion: Completion): R | Promise<R>;
}

/** A single request on its way: prepared, or why it is not sent. */
type OnItsWay<R extends object> =
  (Place & { prepared: PreparedSingle<R> }) | (Place & { error: ResiduaError });

/** No request, so the client makes an outcome of it in its turn and sends nothing. */
const unsendable = {};

/**
 * Sends each choice of each prompt as a request of its own, through the client's `sampleMany`, and gives an outcome for
 * each. Throws `invalid_option`.
 */
export function runMany<R extends object>(
  core: LensCore,
  requests: Requests,
  options: ManyOptions,
  kind: ManyKind<R>,
): ManyRun<Place & (R | { error: ResiduaError })> {
  checkRequests(requests);
  checkManyOptions(options);
  const { ordered = true, seed = drawSeed(), window, ...others } = options;
  const { concurrency = 16, signal } = others;
  const onTheirWay = new Map<number, OnItsWay<R>>();
  const usage = makeFanOutUsage();

  async function* bodies(): AsyncGenerator<object> {
    let index = 0;
    for await (const single of singlesOf(requests, kind.temperature)) {
      const place = { index, prompt: single.prompt, choice: single.choice };
      const one =
        "error" in single ? { ...place, seed: undefined, error: single.error } : await prepare(single, place);
      onTheirWay.set(index++, one);
      yield "prepared" in one ? one.prepared.body : unsendable;
    }
  }

  async function prepare(single: Single, place: Omit<Place, "seed">): Promise<OnItsWay<R>> {
    const { seed: own, temperature } = single.request;
    const greedy = isGreedy(temperature ?? kind.temperature);
    const drawn = greedy || (own ?? undefined) !== undefined ? undefined : seed + place.index;
    const at = { ...place, seed: typeof own === "number" ? own : drawn };
    const request = drawn === undefined ? single.request : { ...single.request, seed: drawn };
    try {
      return { ...at, prepared: await kind.prepare({ ...single, request }, { ...(signal && { signal }) }) };
    } catch (error) {
      if (!(error instanceof ResiduaError) || error instanceof APIAbortError) throw error;
      return { ...at, error };
    }
  }

  async function outcomeOf({
    index,
    completion,
    error,
  }: SampleOutcome<object>): Promise<Place & (R | { error: ResiduaError })> {
    const one = onTheirWay.get(index);
    if (one === undefined) throw new Error(`no request ${index} is on its way`);
    onTheirWay.delete(index);
    if ("error" in one) return one;
    const { prepared, ...place } = one;
    if (error !== undefined) return { ...place, error: explainFault<ResiduaError>(error) };
    usage.add({ prompt: place.prompt, usage: completion.usage });
    try {
      return { ...place, ...(await prepared.read(completion)) };
    } catch (failure) {
      if (failure instanceof ResiduaError) return { ...place, error: failure };
      throw failure;
    } finally {
      for (const [i, part] of (prepared.further ?? []).entries())
        usage.add({ prompt: place.prompt, part: i + 1, usage: part.usage });
    }
  }

  const total = others.total ?? sizeOf(requests, kind.temperature);
  const answers = core.client.completions.sampleMany(bodies() as AsyncIterable<CompletionRequest>, {
    ...others,
    ordered,
    window: window ?? 2 * concurrency,
    ...(total !== undefined && { total }),
  });
  async function* run() {
    for await (const answer of answers) yield await outcomeOf(answer);
  }
  return Object.defineProperty(run(), "usage", { get: () => usage.sum() }) as ReturnType<typeof runMany<R>>;
}

function checkRequests(requests: unknown): void {
  if (typeof requests === "object" && requests !== null) return;
  throw new LensOptionError(
    `requests: ${typeText(requests)} given; allowed: a request, or a list of requests`,
  );
}

/** The client checks the options that it is handed. Throws `invalid_option`. */
function checkManyOptions(options: ManyOptions): void {
  if (typeof options !== "object" || (options as object | null) === null || Array.isArray(options))
    throw new LensOptionError("options: allowed: an object");
  for (const name of ["journal", "pack"]) {
    if (Object.hasOwn(options, name)) {
      throw new LensOptionError(
        `${name} is not an option of captures and steering: each is sent alone, and its answer is not kept`,
      );
    }
  }
  const own = Object.keys(options.headers ?? {}).find((name) => name.toLowerCase() === "x-request-id");
  if (own !== undefined) {
    throw new LensOptionError(
      `headers: ${own} would be that of every request of the run, and servers mix up captures and steering of equal ids`,
    );
  }
  const { seed = 0 } = options;
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new LensOptionError(`seed: ${String(seed)} given; allowed: an integer from 0`);
}

/** A base from which any run stays well within integers. */
function drawSeed(): number {
  const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
  return word >>> 1;
}
