import {
  APIConnectionError,
  APIError,
  APITimeoutError,
  InvalidRequestError,
  ResiduaError,
} from "@residua/lens";

/** An error as the page shows it. */
export interface Explained {
  readonly status: 404 | 422 | 500 | 502 | 504;
  readonly title: string;
  readonly message: string;
  /** What to do, where the message does not say it. */
  readonly advice: string | null;
}

/** What went wrong, in the words of the error; those of the server carry what to do about each kind. */
export function explainError(error: unknown): Explained {
  if (error instanceof APITimeoutError)
    return explained(
      504,
      "The server did not answer in time",
      error,
      "Ask for fewer tokens, or try again when the server is less busy.",
    );
  if (error instanceof APIConnectionError)
    return explained(
      502,
      "The server cannot be reached",
      error,
      "See whether it still runs, then try again; another address needs residua explore --server URL.",
    );
  if (error instanceof APIError && [400, 413, 422].includes(error.status))
    return explained(422, "The server refuses this", error, null);
  if (error instanceof APIError) return explained(502, "The server refused", error, adviceFor(error));
  if (error instanceof InvalidRequestError) return explained(422, "This cannot be asked", error, null);
  if (error instanceof ResiduaError) {
    const absent = ["no_such_dataset", "no_such_example", "no_such_scorer"].includes(error.code);
    return explained(absent ? 404 : 422, absent ? "Not found" : "This cannot be done as asked", error, null);
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    status: 500,
    title: "The explorer failed",
    message,
    advice: "The terminal shows where. Please report it.",
  };
}

function explained(
  status: Explained["status"],
  title: string,
  error: Error,
  advice: string | null,
): Explained {
  return { status, title, message: error.message, advice };
}

function adviceFor({ status, code }: APIError): string | null {
  if (status === 401 || status === 403)
    return "Set ACS_API_KEY to a key of this server, and start residua explore again.";
  if (status === 404 && code === "model_not_found")
    return "Start residua explore with --model and an id that the server lists.";
  if (status === 429) return "Wait a moment, then try again.";
  return null;
}
