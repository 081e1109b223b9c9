import { asObject, asText } from "../json-values.ts";
import type { APIErrorFields } from "./api-error.ts";
import type { Redactor } from "./redactor.ts";

/** An answer as the transport hands it on. Header names are lower case. */
export interface RawAnswer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  /** The body, or its beginning. */
  text: string;
}

const excerptLength = 2000;

/** No message, code or id is longer in an error. */
const longestField = 2000;

/**
 * One form for every error body: `{"error": {message, type, code}}` (string or integer code), `{"error": "text"}`,
 * FastAPI's `{"detail": text | [{loc, msg, type}]}`, a top-level `{message, type, code}`, `{"raw": text}`, and anything
 * that is not JSON.
 */
export function readErrorBody(answer: RawAnswer, body: unknown, redact: Redactor): APIErrorFields {
  const { headers } = answer;
  const outer = asObject(body);
  const inner = asObject(outer.error);
  const error = Object.keys(inner).length > 0 ? inner : outer;
  const status = statusOf(answer.status, error.code);
  const message = asText(error.message) ?? asText(outer.error) ?? detail(outer.detail) ?? asText(outer.raw);
  const clean = (value: string | undefined) => (value === undefined ? undefined : cleaned(value, redact));
  return {
    status,
    code: cleaned(asText(error.code) || codeOfStatus(status, body !== undefined), redact),
    message: message === undefined ? beginning(answer.text, redact) : cleaned(message, redact),
    type: clean(asText(error.type) ?? asText(outer.object)),
    param: clean(asText(error.param) ?? place(outer.detail)),
    requestID: requestIDOf(answer, body, redact),
    retryable: typeof error.retryable === "boolean" ? error.retryable : undefined,
    shouldRetry: flag(headers["x-should-retry"]),
    retryAfter:
      milliseconds(headers["retry-after-ms"]) ??
      retryAfterSeconds(headers["retry-after"]) ??
      seconds(error.retry_after_seconds),
    body: bodyExcerpt(answer.text, redact),
  };
}

/** An error under a 2xx, such as one within a stream, may state the status that it would have had. */
function statusOf(status: number, code: unknown): number {
  const stated = typeof code === "number" && Number.isInteger(code) && code >= 400 && code < 600;
  return stated && status >= 200 && status < 300 ? code : status;
}

/** Whether a parsed 200 body is an error after all. */
export function holdsError(body: unknown): boolean {
  const { error } = asObject(body);
  return error !== undefined && error !== null;
}

/** The request's id as the body has it, else as the header has it. */
export function requestIDOf(
  { headers }: Pick<RawAnswer, "headers">,
  body: unknown,
  redact: Redactor,
): string | undefined {
  const outer = asObject(body);
  const id = asText(outer.request_id) ?? asText(asObject(outer.error).request_id) ?? headers["x-request-id"];
  return id === undefined ? undefined : cleaned(id, redact);
}

/** The start of a body. */
export function bodyExcerpt(body: string, redact: Redactor): string {
  return cleaned(body.slice(0, 8 * excerptLength).trim(), redact, excerptLength);
}

/** The start of a body as a message. */
export function beginning(body: string, redact: Redactor): string {
  return bodyExcerpt(body, redact).slice(0, 200) || "empty answer";
}

/** Secrets are replaced before the text is cut, so that no cut leaves half of one. */
function cleaned(value: string, redact: Redactor, longest = longestField): string {
  const clean = redact(value.length > 8 * longest ? value.slice(0, 8 * longest) : value);
  return clean.length > longest ? clean.slice(0, longest) : clean;
}

/** `Retry-After` as seconds or as a date; undefined when it is neither. */
export function retryAfterSeconds(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined || header.trim() === "") return undefined;
  const value = Number(header);
  if (Number.isFinite(value)) return Math.max(0, value);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

function codeOfStatus(status: number, isJSON: boolean): string {
  if (status === 401) return "unauthorized";
  return status === 200 && !isJSON ? "unexpected_response" : `http_${status}`;
}

function flag(header: string | undefined): boolean | undefined {
  return header === "true" ? true : header === "false" ? false : undefined;
}

function milliseconds(header: string | undefined): number | undefined {
  const value = header === undefined || header.trim() === "" ? NaN : Number(header);
  return Number.isFinite(value) && value >= 0 ? value / 1000 : undefined;
}

function seconds(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** FastAPI: a text, or a list of `{loc, msg}`. */
function detail(value: unknown): string | undefined {
  if (!Array.isArray(value)) return asText(value);
  const parts = value.map((item) => {
    const { msg } = asObject(item);
    return [place([item]), asText(msg)].filter((part) => part !== undefined).join(": ");
  });
  return parts.length > 0 ? parts.join("; ") : undefined;
}

function place(value: unknown): string | undefined {
  const { loc } = asObject(Array.isArray(value) ? value[0] : undefined);
  return Array.isArray(loc) ? loc.map(String).join(".") : undefined;
}
