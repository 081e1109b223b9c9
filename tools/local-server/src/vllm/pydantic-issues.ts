import type { z } from "zod";
import type { ApiError } from "@residua/engine/api";
import { badBody } from "./vllm-error.ts";

/** The message of a whole-number field: what zod itself says of it is that of any number. */
export const integerMark = "integer";

interface Fault {
  readonly type: string;
  readonly loc: string;
  readonly msg: string;
  readonly input: string;
  readonly ctx?: string;
}

const shownFaults = 20;

/** What zod found wrong, in the words of the validation errors of vLLM's server (pydantic). */
export function validationError(issues: readonly z.core.$ZodIssue[], body: unknown): ApiError {
  const faults = issues.slice(0, shownFaults).flatMap((issue) => faultsOf(issue, [], body));
  return faultsError(faults);
}

/** A body that is no JSON: `at` is where reading stopped, in characters. */
export function jsonError(at: number, problem: string): ApiError {
  return faultsError([
    {
      type: "json_invalid",
      loc: `body.${at}`,
      msg: "JSON decode error",
      input: "<dict of 0 items>",
      ctx: `{'error': '${problem}'}`,
    },
  ]);
}

function faultsError(faults: readonly Fault[]): ApiError {
  const lines = faults.slice(0, shownFaults).map(({ type, loc, msg, input, ctx }) => {
    const more = ctx === undefined ? "" : `, 'ctx': ${ctx}`;
    return `  {'type': '${type}', 'loc': '${loc}', 'msg': '${msg}', 'input': '${input}'${more}}`;
  });
  const count = `${faults.length} validation error${faults.length === 1 ? "" : "s"}`;
  return badBody(`${count}:\n${lines.join("\n")}`, faults[0]!.loc);
}

function faultsOf(issue: z.core.$ZodIssue, above: readonly PropertyKey[], body: unknown): Fault[] {
  const path = [...above, ...issue.path];
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    return issue.errors.flat().flatMap((branch) => faultsOf(branch, path, body));
  }
  const loc = ["body", ...path].map(String).join(".").slice(0, 200);
  if (issue.input === undefined && issue.code === "invalid_type") {
    return [{ type: "missing", loc, msg: "Field required", input: shown(body) }];
  }
  return [{ loc, input: shown(issue.input), ...described(issue) }];
}

const typeMessages: Readonly<Record<string, readonly [type: string, article: string]>> = {
  integer: ["int_type", "a valid integer"],
  number: ["float_type", "a valid number"],
  string: ["string_type", "a valid string"],
  boolean: ["bool_type", "a valid boolean"],
  array: ["list_type", "a valid list"],
  record: ["dict_type", "a valid dictionary"],
  object: ["dict_type", "a valid dictionary"],
};

function described(issue: z.core.$ZodIssue): { type: string; msg: string; ctx?: string } {
  const { input } = issue;
  if (issue.code === "invalid_type") {
    const expected = issue.message === integerMark ? "integer" : issue.expected;
    const [type, what] = typeMessages[expected] ?? ["value_error", expected];
    const parsed = typeof input === "string" && (expected === "integer" || expected === "number");
    if (parsed && Number.isNaN(Number(input))) {
      return {
        type: type.replace("type", "parsing"),
        msg: `Input should be ${what}, unable to parse string as ${expected === "integer" ? "an integer" : "a number"}`,
      };
    }
    if (expected === "integer" && typeof input === "number") {
      return {
        type: "int_from_float",
        msg: "Input should be a valid integer, got a number with a fractional part",
      };
    }
    return { type, msg: `Input should be ${what}` };
  }
  if (issue.code === "too_small") {
    const { minimum, inclusive } = issue;
    return inclusive === false
      ? { type: "greater_than", msg: `Input should be greater than ${minimum}`, ctx: `{'gt': ${minimum}}` }
      : {
          type: "greater_than_equal",
          msg: `Input should be greater than or equal to ${minimum}`,
          ctx: `{'ge': ${minimum}}`,
        };
  }
  if (issue.code === "too_big") {
    const { maximum } = issue;
    return {
      type: "less_than_equal",
      msg: `Input should be less than or equal to ${maximum}`,
      ctx: `{'le': ${maximum}}`,
    };
  }
  return { type: "value_error", msg: issue.message.replaceAll("'", '"') };
}

/** As vLLM shows an input: the value of a scalar, the size of anything else. */
function shown(input: unknown): string {
  if (input === null || input === undefined) return "None";
  if (Array.isArray(input)) return `<list of ${input.length} items>`;
  if (typeof input === "object") return `<dict of ${Object.keys(input).length} items>`;
  if (typeof input === "boolean") return input ? "True" : "False";
  return `${input as string | number}`.slice(0, 100);
}
