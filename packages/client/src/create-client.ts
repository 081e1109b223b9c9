import { checkRequest } from "./check-request.ts";
import { environment, readBaseURL, readHeaders, readPatience, secretsOf } from "./client-settings.ts";
import type { Client, ClientOptions, RequestOptions } from "./client-types.ts";
import { asCompletion, type Completion, completionSchema } from "./completion.ts";
import { type CompletionRequest, promptCount } from "./completion-request.ts";
import { InvalidRequestError } from "./invalid-request-error.ts";
import { type Model, modelListSchema } from "./model.ts";
import { describeModel, type ModelDescription } from "./model-description.ts";
import { redactorOf } from "./redactor.ts";
import { APIError } from "./api-error.ts";
import { type Answer, sendRequest } from "./send-request.ts";
import { fetchTransport, poolTransport } from "./transport.ts";

/**
 * A client of one server. The key lives in this closure only: it is no property of the client, and every text that
 * becomes an error passes a redactor first.
 */
export function createClient(options: ClientOptions = {}): Client {
  const base = readBaseURL(options.baseURL ?? environment("ACS_API_BASE"));
  const headers = readHeaders(options);
  const redact = redactorOf(secretsOf(headers));
  const transport = options.fetch ? fetchTransport(options.fetch) : poolTransport(base.origin);
  readPatience(options);
  let catalogue: Promise<Model[]> | undefined;

  async function send(
    method: "GET" | "POST",
    path: string,
    body: string | undefined,
    repeatable: boolean,
    request: RequestOptions,
  ): Promise<Answer> {
    const extra = readHeaders({ headers: request.headers ?? {}, apiKey: "" });
    return sendRequest(
      { method, url: new URL(base.href + path), headers: { ...headers, ...extra }, body },
      {
        transport,
        redact: request.headers ? redactorOf(secretsOf({ ...headers, ...extra })) : redact,
        ...readPatience(options, request),
        signal: request.signal,
        repeatable,
      },
    );
  }

  async function create(
    request: CompletionRequest,
    requestOptions: RequestOptions = {},
  ): Promise<Completion> {
    const checked = checkRequest(request);
    const repeatable = checked.temperature === 0 || checked.seed !== undefined;
    const answer = await send("POST", "/completions", JSON.stringify(checked), repeatable, requestOptions);
    const parsed = completionSchema.safeParse(answer.body);
    if (!parsed.success) {
      const at = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).slice(0, 3);
      throw answer.unexpected("unexpected_response", `the answer is not a completion: ${at.join("; ")}`);
    }
    const shape = { prompts: promptCount(checked.prompt), n: checked.n ?? 1 };
    const completion = asCompletion(parsed.data, shape);
    if (completion === undefined) {
      const came = parsed.data.choices.map(({ index }) => index).slice(0, 20);
      const message = `${shape.prompts} prompts × ${shape.n} choices asked, choices with index [${came.join(", ")}] came`;
      throw answer.unexpected("choices_mismatch", message);
    }
    return completion;
  }

  async function list(requestOptions: RequestOptions = {}): Promise<Model[]> {
    const answer = await send("GET", "/models", undefined, true, requestOptions);
    const parsed = modelListSchema.safeParse(answer.body);
    if (!parsed.success) throw answer.unexpected("unexpected_response", "the answer is not a list of models");
    return parsed.data.data;
  }

  /** A server without a catalogue has an empty one; any other fault is the caller's to see, and is not kept. */
  function readCatalogue(requestOptions: RequestOptions): Promise<Model[]> {
    return list(requestOptions).catch((error: unknown) => {
      if (error instanceof APIError && (error.status === 404 || error.status === 405)) return [];
      catalogue = undefined;
      throw error;
    });
  }

  async function describe(
    model?: string,
    { refresh = false, ...requestOptions }: RequestOptions & { refresh?: boolean } = {},
  ): Promise<ModelDescription> {
    if (refresh) catalogue = undefined;
    const entries = await (catalogue ??= readCatalogue(requestOptions));
    if (model !== undefined)
      return describeModel(
        model,
        entries.find(({ id }) => id === model),
      );
    const [only, ...others] = entries;
    if (only !== undefined && others.length === 0) return describeModel(only.id, only);
    const allowed = only
      ? `one of ${entries.map(({ id }) => id).join(", ")}`
      : "the id of a model (the server lists none)";
    throw new InvalidRequestError([{ field: "model", given: "missing", allowed }]);
  }

  return Object.freeze({
    baseURL: base.href,
    profile: "acs" as const,
    completions: Object.freeze({ create }),
    models: Object.freeze({ list }),
    describe,
    close: () => transport.close(),
  });
}
