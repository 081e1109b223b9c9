import type { ClientCore } from "../client-core.ts";
import type { Client, RequestOptions } from "../client-types.ts";
import { InvalidRequestError } from "../requests/invalid-request-error.ts";
import { APIError } from "../transport/api-error.ts";
import { describeModel, type ModelDescription } from "./model-description.ts";
import { type Model, modelListSchema } from "./model.ts";

/** GET /models, and what is known of a model; the catalogue is asked once and kept. */
export function makeModels(core: Pick<ClientCore, "send" | "paths">): Pick<Client, "models" | "describe"> {
  let catalogue: Promise<Model[]> | undefined;

  async function list(options: RequestOptions = {}): Promise<Model[]> {
    const answer = await core.send({ method: "GET", path: core.paths.models }, options);
    const parsed = modelListSchema.safeParse(answer.body);
    if (!parsed.success) throw answer.unexpected("unexpected_response", "the answer is not a list of models");
    return parsed.data.data;
  }

  /** A server without a catalogue has an empty one; any other fault is the caller's to see, and is not kept. */
  function readCatalogue(options: RequestOptions): Promise<Model[]> {
    return list(options).catch((error: unknown) => {
      if (error instanceof APIError && (error.status === 404 || error.status === 405)) return [];
      catalogue = undefined;
      throw error;
    });
  }

  async function describe(
    model?: string,
    { refresh = false, ...options }: RequestOptions & { refresh?: boolean } = {},
  ): Promise<ModelDescription> {
    if (refresh) catalogue = undefined;
    const entries = await (catalogue ??= readCatalogue(options));
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

  return { models: Object.freeze({ list }), describe };
}
