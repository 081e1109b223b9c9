import type { ClientCore } from "../client-core.ts";
import type { Client, ClientOptions, RequestOptions } from "../client-types.ts";
import type { ClientWarning } from "../client-warning.ts";
import { InvalidRequestError } from "../requests/invalid-request-error.ts";
import { nearestName } from "../requests/nearest-name.ts";
import { APIError } from "../transport/api-error.ts";
import { keepValue } from "./kept-value.ts";
import { checkpointOf, describeModel, type ModelDescription } from "./model-description.ts";
import { checkFacts, type ModelFacts } from "./model-facts.ts";
import { modelStatusSchema, type ModelStatus } from "./model-status.ts";
import { type Model, modelListSchema } from "./model.ts";
import { watchAnswers } from "./watch-answers.ts";

export interface CatalogueSettings extends Pick<ClientOptions, "catalogueTTL" | "models"> {
  warn: (warning: ClientWarning) => void;
  /** Milliseconds, for tests. */
  now?: () => number;
}

type Catalogue = Pick<ClientCore, "describe" | "observe" | "notice"> & Pick<Client, "models">;
type Asking = RequestOptions & { refresh?: boolean };

/** What the server offers; a server without a catalogue has none and the fault that said so. */
interface Listed {
  entries: Model[];
  missing?: APIError;
}

/** GET /models, kept for a while, and what is known of a model from it, from the user and from answers. */
export function makeModels(
  core: Pick<ClientCore, "send" | "paths">,
  { catalogueTTL = 300_000, models: stated = {}, warn, now = () => performance.now() }: CatalogueSettings,
): Catalogue {
  const statedFacts = new Map(Object.entries(stated).map(([id, facts]) => [id, checkFacts(id, facts)]));
  const observed = new Map<string, ModelFacts>();
  const watch = watchAnswers(warn);
  const catalogue = keepValue<Listed>({ lifetime: catalogueTTL, now });

  async function ask(options: RequestOptions): Promise<Listed> {
    const answer = await core.send({ method: "GET", path: core.paths.models }, options);
    const parsed = modelListSchema.safeParse(answer.body);
    if (!parsed.success) throw answer.unexpected("unexpected_response", "the answer is not a list of models");
    const entries = parsed.data.data;
    for (const entry of entries) {
      const { requestID } = answer;
      watch({ model: entry.id, checkpoint: checkpointOf(entry), requestID, from: "catalogue" });
    }
    return { entries };
  }

  /** The signal and the timeout are this caller's; the request, which others may wait for too, has the client's. */
  function read({ refresh = false, signal, timeout, ...others }: Asking): Promise<Listed> {
    const waiting = typeof timeout === "number" ? timeout : timeout?.total;
    return catalogue.get({ refresh, signal, timeout: waiting }, (shared) =>
      ask({ ...others, signal: shared }).catch((error: unknown) => {
        if (error instanceof APIError && (error.status === 404 || error.status === 405)) {
          return { entries: [], missing: error };
        }
        throw error;
      }),
    );
  }

  async function list(options: RequestOptions = {}): Promise<Model[]> {
    const { entries, missing } = await read({ ...options, refresh: true });
    if (missing) throw missing;
    return [...entries];
  }

  async function retrieve(id: string, options: Asking = {}): Promise<Model> {
    const { entries, missing } = await read(options);
    const found = entries.find((entry) => entry.id === id);
    if (found !== undefined) return found;
    if (missing) throw missing;
    const ids = entries.map((entry) => entry.id);
    const near = nearestName(id, ids);
    throw unknownModel(JSON.stringify(id), ids, near);
  }

  async function status(id: string, options: RequestOptions = {}): Promise<ModelStatus> {
    const path = `${core.paths.models}/${encodeURIComponent(id)}/status`;
    const answer = await core.send({ method: "GET", path }, options).catch((error: unknown) => {
      throw error instanceof APIError && error.code === "http_404" ? noStatus(id, error) : error;
    });
    const parsed = modelStatusSchema.safeParse(answer.body);
    if (parsed.success) return parsed.data;
    throw answer.unexpected("unexpected_response", "the answer is not the status of a model");
  }

  async function describe(model?: string, options: Asking = {}): Promise<ModelDescription> {
    const { entries } = await read(options);
    const [only, ...others] = entries;
    const id = model ?? (others.length === 0 ? only?.id : undefined);
    if (id === undefined)
      throw unknownModel(
        "missing",
        entries.map((entry) => entry.id),
      );
    return describeModel(id, entries, { stated: statedFacts.get(id), observed: observed.get(id) });
  }

  function observe(model: string, facts: ModelFacts): void {
    observed.set(model, { ...observed.get(model), ...checkFacts(model, facts) });
  }

  function notice(
    asked: string | undefined,
    answer: Parameters<ClientCore["notice"]>[1],
    requestID?: string,
  ) {
    const { model: checkpoint, system_fingerprint: fingerprint } = answer;
    const model = asked ?? checkpoint;
    if (!model) return;
    const known = observed.get(model)?.checkpoint;
    if (checkpoint && checkpoint !== model && checkpoint !== known) observe(model, { checkpoint });
    watch({ model, checkpoint, fingerprint, requestID, from: "completion" });
  }

  return { models: Object.freeze({ list, retrieve, status }), describe, observe, notice };
}

function unknownModel(given: string, ids: readonly string[], near?: string): InvalidRequestError {
  const allowed = ids.length > 0 ? `one of ${ids.join(", ")}` : "the id of a model (the server lists none)";
  return new InvalidRequestError([
    { field: "model", given, allowed, ...(near !== undefined && { hint: `did you mean ${near}?` }) },
  ]);
}

/** A 404 without a code of the server's own. */
function noStatus(id: string, error: APIError): APIError {
  const { status, type, param, requestID, retryAfter, body, attempts } = error;
  const message = `no status of model ${JSON.stringify(id)}: the server has no such model, or no such route (the hosted API has one; vLLM has none)`;
  const code = "model_status_not_found";
  return new APIError({
    status,
    code,
    message,
    type,
    param,
    requestID,
    retryAfter,
    body,
    attempts,
    retryable: false,
  });
}
