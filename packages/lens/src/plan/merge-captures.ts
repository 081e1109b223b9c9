import { type Completion, sumUsage } from "@residua/client";
import { makeCapture } from "../capture/make-capture.ts";
import { copyCompletion } from "../copy-completion.ts";
import type { Tensor } from "../codec/tensor-codec.ts";
import type { Capture, CaptureCheck } from "../lens-types.ts";
import { VerificationError } from "../verify/verification-error.ts";

export interface Merger {
  /** The next part, in the order of the layers. Throws `split_mismatch`. */
  add(part: Capture): void;
  finish(): Capture;
}

/**
 * Captures of the layers `parts`, ascending, become one. Each part's rows are copied as it comes, so that one part at a time
 * is held beside the whole. bfloat16 stays bits; float16 becomes float32, which loses nothing.
 */
export function makeMerger(parts: readonly (readonly number[])[]): Merger {
  const layers = parts.flat();
  const completions: Completion[] = [];
  const checks: (readonly CaptureCheck[])[] = [];
  let head: Head | undefined;
  let tensor: Tensor | undefined;
  let unseen = 0;
  let filled = 0;

  function add(part: Capture): void {
    head ??= headOf(part);
    tensor ??= emptyTensor(part, layers.length);
    verifyPart(head, part);
    unseen = Math.max(unseen, unseenTokens(head, part));
    filled = copyRows(part, tensor, filled);
    completions.push(part.completion);
    checks.push(part.checks);
  }

  function finish(): Capture {
    const { model, prompt, bosTokenId, tokens, server, completion } = head as Head;
    return makeCapture({
      model,
      prompt,
      bosTokenId,
      layers,
      tensor: tensor as Tensor,
      tokens,
      server,
      checks: [...worstOf(checks), splitCheck(parts, tokens.length, unseen)],
      completion: withUsage(completion, completions),
    });
  }

  return { add, finish };
}

/** Throws `split_mismatch` that says where the two answers differ. */
function verifyPart(head: Head, part: Capture): void {
  const [mine] = head.completion.choices;
  const [theirs] = part.completion.choices;
  const pairs: [string, unknown, unknown][] = [
    ["checkpoint", head.completion.model, part.completion.model],
    ["system_fingerprint", head.completion.system_fingerprint, part.completion.system_fingerprint],
    ["dtype", head.dtype, part.dtype],
    ["hidden size", head.hiddenSize, part.hiddenSize],
    ["number of tokens", head.tokens.length, part.tokens.length],
    ...head.tokens.flatMap(({ id, text, role }, i): [string, unknown, unknown][] => [
      [`role of token ${i}`, role, part.tokens[i]?.role],
      [`id of token ${i}`, id, part.tokens[i]?.id ?? id],
      [`text of token ${i}`, text, part.tokens[i]?.text ?? text],
    ]),
    ["generated text", mine?.text, theirs?.text],
    ["finish_reason", mine?.finish_reason, theirs?.finish_reason],
  ];
  const differing = pairs.find(([name, first, second]) => first !== second && !isUntold(name, first));
  if (differing === undefined) return;
  const [what, first, second] = differing;
  throw new VerificationError(
    "split_mismatch",
    `the requests of a split capture do not agree: ${what} is ${shortText(first)} for layers ${rangeText(head.layers)} and ${shortText(second)} for layers ${rangeText(part.layers)}, so their rows do not belong together. ` +
      "A server's arithmetic depends on what it runs at the same time: send it nothing else, or capture what was generated as a prompt, with max_tokens 1",
    { what, first, second, layers: [head.layers, part.layers] },
  );
}

function shortText(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** An id or text that only the later answer tells. */
function isUntold(name: string, first: unknown): boolean {
  return first === null && / of token /.test(name);
}

/** Generated tokens of which the two answers tell neither id nor text alike: nothing but the whole text shows that they agree. */
function unseenTokens(head: Head, part: Capture): number {
  return head.tokens.filter(({ id, text, role }, i) => {
    const other = part.tokens[i];
    const byId = id !== null && (other?.id ?? null) !== null;
    const byText = text !== null && (other?.text ?? null) !== null;
    return role === "generated" && !byId && !byText;
  }).length;
}

function emptyTensor({ dtype, positions, hiddenSize }: Capture, layers: number): Tensor {
  const shape = [layers, positions, hiddenSize];
  const numbers = layers * positions * hiddenSize;
  return dtype === "bfloat16"
    ? { dtype, shape, bits: new Uint16Array(numbers) }
    : { dtype: "float32", shape, values: new Float32Array(numbers) };
}

/** Appends the part's layers at a place of the tensor; gives the place after them. */
function copyRows(part: Capture, tensor: Tensor, start: number): number {
  let at = start;
  for (const layer of part.layers) {
    if (tensor.dtype === "float32") {
      tensor.values.set(part.layer(layer), at);
      at += part.positions * part.hiddenSize;
      continue;
    }
    for (let position = 0; position < part.positions; position++) {
      tensor.bits.set(part.rowBits({ layer, position }), at);
      at += part.hiddenSize;
    }
  }
  return at;
}

/** What the other parts are compared with; nothing that keeps the rows. */
type Head = Pick<
  Capture,
  "model" | "prompt" | "bosTokenId" | "layers" | "tokens" | "server" | "completion" | "dtype" | "hiddenSize"
>;

function headOf(part: Capture): Head {
  const { model, prompt, bosTokenId, layers, tokens, server, completion, dtype, hiddenSize } = part;
  return { model, prompt, bosTokenId, layers, tokens, server, completion, dtype, hiddenSize };
}

/** The first part's checks, each `unverified` where it is in any part. */
function worstOf(parts: readonly (readonly CaptureCheck[])[]): CaptureCheck[] {
  return (parts[0] ?? []).map((check) => {
    const worse = parts
      .map((checks) => checks.find(({ code }) => code === check.code))
      .find((other) => other?.status === "unverified");
    return worse ?? check;
  });
}

function splitCheck(parts: readonly (readonly number[])[], tokens: number, unseen: number): CaptureCheck {
  const layers = parts.map(rangeText).join("; ");
  const told = unseen === 0 ? "" : `, of which ${unseen} generated ones have neither id nor text`;
  return {
    code: "split",
    status: unseen === 0 ? "pass" : "unverified",
    detail: `${parts.length} requests (layers ${layers}) with the same ${tokens} tokens${told}`,
  };
}

/** Layers that follow each other by their ends, others one by one. */
function rangeText(layers: readonly number[]): string {
  const [from = 0] = layers;
  const together = layers.every((layer, i) => layer === from + i);
  return together && layers.length > 3 ? `${from} to ${layers.at(-1)}` : layers.join(", ");
}

/** Tokens of all requests together: what was used, not what the prompt has. */
function withUsage(completion: Completion, all: readonly Completion[]): Completion {
  const { prompt_tokens, completion_tokens, total_tokens, uncounted } = sumUsage(all);
  if (uncounted > 0) return completion;
  const usage = { prompt_tokens, completion_tokens, total_tokens };
  return copyCompletion(completion, { ...completion, usage });
}
