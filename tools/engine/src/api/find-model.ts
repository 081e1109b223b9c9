import { ApiError } from "./api-error.ts";
import type { ServedModel } from "./served-model.ts";

/** Throws ApiError `model_not_found` with the ids there are: 400, or 404 where the id is part of a path. */
export function findModel(served: readonly ServedModel[], id: string, status: 400 | 404 = 400): ServedModel {
  const found = served.find((model) => model.id === id);
  if (found !== undefined) return found;
  const hint = served.find(({ checkpoint }) => checkpoint === id);
  const ids = served.filter(({ listed }) => listed).map((model) => model.id);
  throw new ApiError(
    status,
    "model_not_found",
    `model: there is no ${JSON.stringify(id.slice(0, 100))}; this server has ${ids.join(", ")}${hint ? ` (for this checkpoint send ${hint.id})` : ""}`,
  );
}
