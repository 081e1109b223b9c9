import { decompress } from "@bokuweb/zstd-wasm";
import type { Tensor } from "../support.ts";
import type { Recording } from "./recordings.ts";

export interface Reply {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

/** Sends a recorded request, changed or not. */
export async function replay(
  url: string,
  { method, path, headers, body }: Pick<Recording, "method" | "path" | "headers" | "body">,
): Promise<Reply> {
  const response = await fetch(new URL(path, url), {
    method,
    headers,
    ...(body === null ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    text: await response.text(),
  };
}

/** A body as values: of a stream, a list of its events. */
export function valuesOf(text: string): unknown {
  if (!text.startsWith("data: ")) return text === "" ? "" : JSON.parse(text);
  return text
    .trim()
    .split("\n\n")
    .map((event) => (event === "data: [DONE]" ? "[DONE]" : (JSON.parse(event.slice(6)) as unknown)));
}

/** Objects whose keys are tokens, or ids of tokens: which there are depends on the numbers. */
const keyedByToken = new Set(["top_logprobs", "prompt_logprobs"]);

/**
 * The fields of a value and their types, through all levels. A list has the forms of its entries, each once. What ends
 * a choice depends on its tokens, so that `stop_reason` may be null or not.
 */
export function formOf(value: unknown, field = ""): unknown {
  if (field === "stop_reason") return "stop reason";
  if (Array.isArray(value)) {
    const forms = value.map((entry) => JSON.stringify(formOf(entry, field)));
    return [...new Set(forms)].sort();
  }
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  const entries = Object.entries(value);
  // A list of objects, as a chat completion has it, is no table.
  const table = keyedByToken.has(field) && !("bytes" in value);
  if (table) return { "<token>": [...new Set(entries.map(([, entry]) => JSON.stringify(formOf(entry))))] };
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, entry]) => [name, formOf(entry, name)]),
  );
}

interface Choice {
  text?: string;
  message?: { content: string };
  delta?: { content: string };
  token_ids?: number[] | null;
  prompt_token_ids?: number[] | null;
}

/** An answer, or the event of a stream. */
export interface Part {
  choices?: Choice[];
  prompt_token_ids?: number[] | null;
  activations?: { residual_stream: Tensor & { handle?: string } };
}

/** The ids that an answer or a stream tells of its only prompt and choice, and its capture. */
export function told(values: unknown) {
  const parts = [values].flat().filter((part): part is Part => typeof part === "object");
  const choices = parts.flatMap((part) => part.choices ?? []);
  const prompt = [...parts, ...choices].find((part) => part.prompt_token_ids != null);
  const tokens = choices.flatMap(({ token_ids }) => token_ids ?? []);
  const text = choices
    .map((choice) => choice.text ?? choice.message?.content ?? choice.delta?.content ?? "")
    .join("");
  const tensor = parts.find(({ activations }) => activations !== undefined)?.activations?.residual_stream;
  return { prompt: prompt?.prompt_token_ids ?? null, tokens, text, tensor: tensor ?? null };
}

/** The values of a wire tensor that holds bfloat16 bits. */
export function valuesIn({ data }: Tensor): Float32Array {
  const bytes = decompress(Buffer.from(data, "base64"));
  const bits = new Uint16Array(bytes.buffer, 0, bytes.length / 2);
  return new Float32Array(Uint32Array.from(bits, (word) => word << 16).buffer);
}

/** ‖a − b‖ / ‖b‖ of each row of hiddenSize numbers. */
export function rowErrors(a: Float32Array, b: Float32Array, hiddenSize: number): number[] {
  return Array.from({ length: a.length / hiddenSize }, (_, row) => {
    let difference = 0;
    let reference = 0;
    for (let i = row * hiddenSize; i < (row + 1) * hiddenSize; i++) {
      difference += (a[i]! - b[i]!) ** 2;
      reference += b[i]! ** 2;
    }
    return Math.sqrt(difference / reference);
  });
}
