import type { Context } from "hono";
import { ApiError } from "@residua/engine/api";
import type { AppEnv } from "../app-options.ts";
import type { VllmState } from "./vllm-state.ts";

/** GET /v1/activations/{handle}: the bytes of a capture, as often as asked within the handle's life. */
export function answerActivations(context: Context<AppEnv>, { handles }: VllmState): Response {
  const tensor = handles.find(context.req.param("handle") ?? "");
  if (tensor === undefined) throw new ApiError(404, "unknown_handle", "Unknown or expired activation handle");
  const { frame, form } = tensor;
  return context.body(new Uint8Array(frame), 200, {
    "content-type": "application/octet-stream",
    "content-length": String(frame.byteLength),
    "cache-control": "no-store, private",
    "x-content-type-options": "nosniff",
    "x-vllm-lens-dtype": form.dtype,
    "x-vllm-lens-original-dtype": form.original_dtype,
    // As Python writes a list.
    "x-vllm-lens-shape": `[${form.shape.join(", ")}]`,
    "x-vllm-lens-compression": form.compression,
  });
}
