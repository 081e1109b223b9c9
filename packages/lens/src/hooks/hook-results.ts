import type { Completion } from "@residua/client";
import * as z from "zod";
import { decodeBase64 } from "../codec/decode-base64.ts";
import { decodeTensor, type Tensor } from "../codec/tensor-codec.ts";
import { HookError } from "./hook-error.ts";

/** What a hook saved under a name. A pickle is never opened here: opening one runs what is in it. */
export type HookValue =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "tensor"; readonly tensor: Tensor }
  | { readonly kind: "pickle"; readonly bytes: Uint8Array };

/** What one hook saved during one request. */
export interface HookResult {
  /** The server's own name of the request, such as `cmpl-…-0-…`: a completion's id, and more. Undefined for a hook of the request. */
  readonly request: string | undefined;
  /** Which of the hooks, from 0, in the order in which they were given or registered. */
  readonly hook: number;
  readonly values: Readonly<Record<string, HookValue>>;
}

/** Names are the hook's own; zod's record would drop `__proto__`. */
const values = z.custom<Readonly<Record<string, unknown>>>(
  (saved) => typeof saved === "object" && saved !== null && !Array.isArray(saved),
  "expected an object",
);
const byHook = z.record(z.string().regex(/^\d+$/), values);
const byRequest = z.record(z.string(), byHook);
const typed = z.looseObject({ __type__: z.string() });
const pickle = z.looseObject({ data: z.union([z.string(), z.instanceof(Uint8Array)]) });

/**
 * What the hooks of one request saved (`hooks` of a capture or generate request), by hook; none where there were none. Throws
 * HookError `hook_result_form` or TensorError.
 */
export async function readHookResults(completion: Completion): Promise<HookResult[]> {
  const given = completion["hook_results"] ?? {};
  return readHooks(parsed(byHook, given, "hook_results"), undefined);
}

/** The answer of the route that collects, request by request. */
export async function readCollected(results: unknown): Promise<HookResult[]> {
  const all: HookResult[] = [];
  for (const [request, hooks] of Object.entries(parsed(byRequest, results, "results")))
    all.push(...(await readHooks(hooks, request)));
  return all;
}

/** Rows that a hook saved are as the server ran it: one more than a capture's may come, and they are not cut. */
async function readHooks(hooks: z.output<typeof byHook>, request: string | undefined): Promise<HookResult[]> {
  const results: HookResult[] = [];
  for (const [hook, saved] of Object.entries(hooks)) {
    const read: [string, HookValue][] = [];
    for (const [name, value] of Object.entries(saved)) read.push([name, await readValue(value)]);
    results.push({ request, hook: Number(hook), values: Object.fromEntries(read) });
  }
  // Servers do not sort them.
  return results.sort((a, b) => a.hook - b.hook);
}

async function readValue(value: unknown): Promise<HookValue> {
  const { success, data } = typed.safeParse(value);
  if (!success) return { kind: "json", value };
  if (data.__type__ === "tensor") return { kind: "tensor", tensor: await decodeTensor(value) };
  if (data.__type__ === "cloudpickle") {
    const { data: packed } = parsed(pickle, value, "a pickled value");
    return { kind: "pickle", bytes: typeof packed === "string" ? decodeBase64(packed) : packed };
  }
  throw new HookError(
    "hook_result_form",
    `a hook's value has __type__ ${JSON.stringify(data.__type__.slice(0, 64))}; known: tensor, cloudpickle, or plain JSON`,
  );
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const at = result.error.issues.map(({ path, message }) => `${path.join(".") || what}: ${message}`);
  throw new HookError("hook_result_form", `${what} of hooks cannot be read: ${at.slice(0, 3).join("; ")}`);
}
