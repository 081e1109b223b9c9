import type { Journal } from "../journal/journal.ts";
import { checkRequest } from "../requests/check-request.ts";
import type { Endpoint } from "../requests/endpoints/endpoint.ts";
import type { CompletionRequest } from "../requests/completion-request.ts";
import { withoutExtraFields } from "../requests/extra-fields.ts";
import { InvalidRequestError } from "../requests/invalid-request-error.ts";
import { ResiduaError } from "../residua-error.ts";
import type { APIError } from "../transport/api-error.ts";
import type { Packer } from "./packer.ts";
import type { RequestSource } from "./request-source.ts";
import type { SampleItem, SampleUnit, SettledItem } from "./sample-unit.ts";
import { notSent } from "./stops-run.ts";

interface PlanParts {
  endpoint: Endpoint;
  /** Fields that the profile does not know: sent as they are, so that a request with one is not packed. */
  extraFields: readonly string[];
  source: RequestSource;
  seed: number | undefined;
  packer: Packer | undefined;
  journal: Journal | undefined;
}

/** Turns the list into what is to be sent: reads, seeds, checks, looks into the journal, packs. */
export class SamplePlan {
  readonly #parts: PlanParts;
  #index = 0;
  /** Choices of the requests so far. */
  #choices = 0;
  #refusal: APIError | undefined;

  constructor(parts: PlanParts) {
    this.#parts = parts;
  }

  /** From now on nothing is to be sent: each later request fails with `not_sent`. */
  refuse(error: APIError): void {
    this.#refusal ??= error;
  }

  get refusal(): APIError | undefined {
    return this.#refusal;
  }

  /** Undefined when nothing is there now, or, when `ended`, any more. Throws what the iterable threw, or JournalError. */
  next(): SampleUnit | SettledItem | undefined {
    const { source, packer } = this.#parts;
    for (;;) {
      const full = packer?.takeFull();
      if (full !== undefined) return full;
      const read = source.next();
      if (read === undefined) return source.ended ? packer?.takeRest() : undefined;
      const item = this.#prepare(read.request);
      if (!("key" in item)) return item;
      if (packer === undefined) return { items: [item], request: item.request, choices: undefined };
      packer.add(item);
    }
  }

  /** The pack that is being filled, as it is. */
  openPack(): SampleUnit | undefined {
    return this.#parts.packer?.takeRest();
  }

  get ended(): boolean {
    return this.#parts.source.ended && (this.#parts.packer?.empty ?? true);
  }

  #prepare(given: unknown): SampleItem | SettledItem {
    const index = this.#index++;
    const request = this.#seeded(given);
    const error = invalidity(request, this.#parts);
    if (error !== undefined) return { index, request, error };
    const { journal } = this.#parts;
    const key = journal?.keyOf(request);
    const entry = key === undefined ? undefined : journal?.find(key, index);
    if (entry !== undefined) return { index, request, entry };
    if (this.#refusal !== undefined) return { index, request, error: notSent(this.#refusal) };
    return { index, request, key };
  }

  #seeded(given: unknown): CompletionRequest {
    const request = given as CompletionRequest;
    if (typeof given !== "object" || given === null) return request;
    const before = this.#choices;
    const { n } = request;
    this.#choices += Number.isInteger(n) && (n ?? 0) > 0 ? (n ?? 1) : 1;
    const { seed } = this.#parts;
    return seed === undefined || (request.seed ?? null) !== null
      ? request
      : { ...request, seed: seed + before };
  }
}

function invalidity(
  request: CompletionRequest,
  { endpoint, extraFields }: Pick<PlanParts, "endpoint" | "extraFields">,
): ResiduaError | undefined {
  try {
    checkRequest(withoutExtraFields(request, extraFields).known, endpoint);
    if (request.stream !== true) return undefined;
    const allowed = "false, or left out";
    const hint = "many requests are answered whole; stream one with completions.create";
    return new InvalidRequestError([{ field: "stream", given: "true", allowed, hint }], "completion request");
  } catch (error) {
    if (error instanceof ResiduaError) return error;
    throw error;
  }
}
