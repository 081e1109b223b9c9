import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";

interface Body {
  prompt?: string | string[] | number[] | number[][];
  max_tokens?: number;
  n?: number;
  stream?: boolean;
  vllm_xargs?: Readonly<Record<string, unknown>>;
}

interface Answer {
  choices?: { text: string; token_ids?: number[] | null }[];
  activations: { residual_stream: Record<string, unknown> };
}

/** An exchange of a real server whose answer holds a capture: fixtures/recorded-captures.jsonl. */
export interface RecordedCapture {
  name: string;
  path: string;
  request: Body;
  /** Of a stream the event that holds the capture. The tensor's data is in `frame`. */
  answer: Answer;
  shape: number[];
  /** Where its bytes stand in recorded-frames.bin; left out where they were not recorded. */
  frame?: [start: number, bytes: number];
  /** SHA-256 of the float32 values that NumPy decoded. */
  decoded: string | null;
  /** Whether the rows are those of an array that was stored beside the recordings, where one has these tokens. */
  stored?: boolean;
}

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url));
const frames = fixture("recorded-frames.bin");

export const recordedCaptures = fixture("recorded-captures.jsonl")
  .toString()
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as RecordedCapture);

/** The packed bytes of a recorded tensor. */
export function frameOf({ frame: [start, bytes] = [0, 0] }: RecordedCapture): Uint8Array {
  return frames.subarray(start, start + bytes);
}

/** The recorded tensor as it came, its bytes in base64 again. */
export function tensorOf(recorded: RecordedCapture): Record<string, unknown> {
  const form = recorded.answer.activations.residual_stream;
  return "handle" in form ? form : { ...form, data: Buffer.from(frameOf(recorded)).toString("base64") };
}

/** The answer as it came. */
export function answerOf(recorded: RecordedCapture): object {
  return { ...recorded.answer, activations: { residual_stream: tensorOf(recorded) } };
}
