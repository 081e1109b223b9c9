import { InvalidRequestError, ResiduaError } from "@residua/lens";
import type { RequestIssue } from "@residua/lens";
import { ProbeError, type ProbeErrorCode } from "../probes/probe-error.ts";

/** An error on its way between threads: structured cloning would lose its class, code and data. */
export interface CarriedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Of an error of this project. */
  readonly code: string | undefined;
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

/** Takes an error apart. Data that cannot be cloned is left out. */
export function packError(error: unknown): CarriedError {
  if (!(error instanceof Error)) {
    return { name: "Error", message: String(error), stack: undefined, code: undefined, data: undefined };
  }
  const { name, message, stack } = error;
  const own = error instanceof ResiduaError;
  const code = (error as { code?: unknown }).code;
  return {
    name,
    message,
    stack,
    code: typeof code === "string" ? code : undefined,
    data: own ? cloneable(error.data) : undefined,
  };
}

/** Puts it together again, as the class that it was where that class is known. */
export function unpackError({ name, message, stack, code, data }: CarriedError): Error {
  const error = make(name, message, code, data);
  // Where it happened, not where it was put together.
  if (stack !== undefined) error.stack = stack;
  return error;
}

function make(name: string, message: string, code: string | undefined, data: CarriedError["data"]): Error {
  if (code === undefined || data === undefined) {
    const error = new Error(message);
    error.name = name;
    return code === undefined ? error : Object.assign(error, { code });
  }
  if (name === "ProbeError") return new ProbeError(code as ProbeErrorCode, message, data);
  if (name === "InvalidRequestError") return invalidRequest(message, data);
  const error = new ResiduaError(code, message, data);
  error.name = name;
  return error;
}

/** Its message is made from the issues, and would be made twice. */
function invalidRequest(message: string, data: Readonly<Record<string, unknown>>): Error {
  const issues = (data["issues"] ?? []) as readonly RequestIssue[];
  return Object.assign(new InvalidRequestError(issues), { message });
}

function cloneable(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(data)) {
    try {
      kept[key] = structuredClone(value);
    } catch {
      continue;
    }
  }
  return kept;
}
