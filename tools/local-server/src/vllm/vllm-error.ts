import { ApiError } from "@residua/engine/api";

/** A value that breaks a rule: vLLM's "BadRequestError". `param` names the field where vLLM does. */
export function badRequest(message: string, param: string | null = null): ApiError {
  return new ApiError(400, "bad_request", message, undefined, param);
}

/** A body that is not of the documented form: vLLM's "Bad Request", raised before the request is looked at. */
export function badBody(message: string, param: string | null = null): ApiError {
  return new ApiError(400, "bad_body", message, undefined, param);
}

export function unknownModel(id: string): ApiError {
  const message = `The model \`${id.slice(0, 100)}\` does not exist.`;
  return new ApiError(404, "model_not_found", message, undefined, "model");
}

/** vLLM's `type` of an error, by our code first. */
const types: Readonly<Record<string, string>> = {
  bad_body: "Bad Request",
  model_not_found: "NotFoundError",
  400: "BadRequestError",
  404: "Not Found",
  413: "Request Entity Too Large",
  429: "Too Many Requests",
  500: "InternalServerError",
};

/** The body of an error answer in the form that vLLM 0.30 gives to each kind. */
export function vllmErrorBody({ status, code, message, param }: ApiError): object {
  if (status === 401) return { error: "Unauthorized" };
  if (code === "not_found") return { detail: "Not Found" };
  if (status === 405) return { detail: "Method Not Allowed" };
  return { error: { message, type: types[code] ?? types[status], param, code: status } };
}
