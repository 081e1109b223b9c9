import { createHash } from "node:crypto";
import type { Generation } from "@residua/engine";
import { compressCapture, type ServedModel } from "@residua/engine/api";
import type { ActivationHandles } from "./activation-handles.ts";
import type { PreparedRequest } from "./prepare-request.ts";

/** The version of vLLM whose API this is. */
export const vllmVersion = "0.30.0";

/** What all parts of an answer begin with. */
export interface AnswerHead {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
}

export function answerHead(
  kind: "cmpl" | "chatcmpl",
  object: string,
  stem: string,
  { id }: ServedModel,
): AnswerHead {
  return { id: `${kind}-${stem}`, object, created: Math.floor(Date.now() / 1000), model: id };
}

/** Tells configurations apart; the same for every answer of a server. */
export function systemFingerprint({ id, checkpoint, model }: ServedModel): string {
  const text = JSON.stringify([id, checkpoint, model.config]);
  return `vllm-${vllmVersion}-${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
}

/** Fields of vLLM that this server never fills, where vLLM writes them out. */
export const emptyEnd = { kv_transfer_params: null, ec_transfer_params: null, metrics: null };

export interface Usage {
  readonly prompt_tokens: number;
  readonly total_tokens: number;
  readonly completion_tokens: number;
}

export function usageOf(promptTokens: number, completionTokens: number): Usage {
  return {
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + completionTokens,
    completion_tokens: completionTokens,
  };
}

/** Each prompt counts once, each choice's tokens in full. */
export function wholeUsage({ prompts }: PreparedRequest, generations: readonly Generation[]): Usage {
  const generated = generations.flatMap(({ choices }) => choices);
  return usageOf(
    prompts.reduce((sum, { tokens }) => sum + tokens.length, 0),
    generated.reduce((sum, { tokens }) => sum + tokens.length, 0),
  );
}

/** `usage` of an answer that is not streamed. */
export function fullUsage(prepared: PreparedRequest, generations: readonly Generation[]): object {
  return {
    ...wholeUsage(prepared, generations),
    prompt_tokens_details: null,
    completion_tokens_details: null,
  };
}

/** The `activations` of an answer, with the data or a handle to it; null where nothing was captured. */
export function activationsOf(
  { lens }: PreparedRequest,
  generations: readonly Generation[],
  handles: ActivationHandles,
): object | null {
  const capture = generations[0]?.capture ?? null;
  if (capture === null) return null;
  const { frame, form } = compressCapture(capture);
  const where = lens.binary
    ? { handle: handles.keep({ frame, form }), nbytes: frame.byteLength, transport: "binary" }
    : { data: Buffer.from(frame).toString("base64") };
  return { residual_stream: { ...where, ...form } };
}
