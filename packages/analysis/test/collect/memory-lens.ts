import type {
  Capture,
  CaptureRequest,
  Completion,
  GenerateRequest,
  LensOptions,
  ModelDescription,
  SteeredCompletion,
} from "@residua/lens";
import { bf16ToFloat32 } from "@residua/lens";
import { setTimeout as sleep } from "node:timers/promises";

export interface MemoryLensOptions {
  hiddenSize?: number;
  layers?: number;
  checkpoint?: string;
  /** Milliseconds that a capture takes, by prompt. */
  delay?: (prompt: string | readonly number[]) => number;
  /** Called before each capture is computed. */
  onCapture?: (request: CaptureRequest) => void | Promise<void>;
  /** Called before each completion is sampled. */
  onGenerate?: (request: GenerateRequest) => void | Promise<void>;
  /** Whether answers name the ids of their tokens. Default: true. */
  tellsIds?: boolean;
}

/** A lens whose rows follow from the token ids by a formula: every 16-bit pattern occurs, NaN payloads included. */
export class MemoryLens {
  readonly hiddenSize: number;
  readonly layerCount: number;
  checkpoint: string;
  captures = 0;
  completions = 0;
  inFlight = 0;
  mostInFlight = 0;
  readonly #options: MemoryLensOptions;

  constructor(options: MemoryLensOptions = {}) {
    this.#options = options;
    this.hiddenSize = options.hiddenSize ?? 8;
    this.layerCount = options.layers ?? 4;
    this.checkpoint = options.checkpoint ?? "memory/one";
  }

  describe(model = "memory"): Promise<ModelDescription> {
    const unknown = { value: undefined, source: "unknown" } as const;
    return Promise.resolve({
      id: model,
      catalogued: true,
      hiddenSize: { value: this.hiddenSize, source: "catalogue" },
      observedHiddenSize: unknown,
      layers: { value: this.layerCount, source: "catalogue" },
      contextLength: unknown,
      vocabSize: unknown,
      bosTokenId: unknown,
      checkpoint: unknown,
    });
  }

  async capture(request: CaptureRequest, { signal }: LensOptions = {}): Promise<Capture> {
    this.captures++;
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
    try {
      await sleep(this.#options.delay?.(request.prompt) ?? 0, undefined, signal ? { signal } : {});
      await this.#options.onCapture?.(request);
      return this.compute(request);
    } finally {
      this.inFlight--;
    }
  }

  /** Up to `max_tokens` tokens that follow from the prompt and the seed. Their text says nothing of their ids. */
  async generate(request: object): Promise<SteeredCompletion> {
    const asked = request as GenerateRequest & { seed: number; prompt: string | number[] };
    this.completions++;
    await this.#options.onGenerate?.(asked);
    const prompt = tokenIds(asked.prompt);
    const count = 1 + (asked.seed % (asked.max_tokens ?? 16));
    const ids = Array.from({ length: count }, (_, i) => (asked.seed + i * 37) % 900);
    const told = this.#options.tellsIds === false ? {} : { token_ids: ids, prompt_token_ids: prompt };
    return {
      model: this.checkpoint,
      choices: [
        {
          index: 0,
          text: ids.map((id) => ` w${id % 10}`).join(""),
          finish_reason: count === asked.max_tokens ? "length" : "stop",
          ...told,
          ...(asked.logprobs && {
            logprobs: { tokens: ids.map(String), token_logprobs: ids.map(() => -0.5) },
          }),
        },
      ],
      usage: { prompt_tokens: prompt.length, completion_tokens: count, total_tokens: prompt.length + count },
      checks: [],
    } as unknown as SteeredCompletion;
  }

  compute({ model = "memory", prompt, layers, max_tokens = 1 }: CaptureRequest): Capture {
    const ids = tokenIds(prompt);
    const all = [...ids, ...Array.from({ length: max_tokens }, (_, i) => (ids.length * 31 + i) % 997)];
    const wanted =
      layers === "all"
        ? Array.from({ length: this.layerCount }, (_, i) => i)
        : [...(layers as readonly number[])].sort((a, b) => a - b);
    const positions = all.length - 1;
    const rowBits = ({ layer, position }: { layer: number; position: number }): Uint16Array =>
      bitsAt(all, layer, position < 0 ? positions + position : position, this.hiddenSize);
    const unused = (): never => {
      throw new Error("collect reads bits only");
    };
    return {
      model,
      prompt,
      bosTokenId: null,
      layers: wanted,
      hiddenSize: this.hiddenSize,
      positions,
      dtype: "bfloat16",
      tokens: all.map((id, i) => ({
        id: id % 5 === 4 ? null : id,
        text: id % 7 === 6 ? null : `\uFEFF t${id} é𝄞`,
        role: i < ids.length ? ("prompt" as const) : ("generated" as const),
      })),
      checks: [],
      completion: { model: this.checkpoint, choices: [{ index: 0, text: "next" }] } as unknown as Completion,
      server: {
        profile: "acs",
        version: undefined,
        fingerprint: undefined,
        checkpoint: this.checkpoint,
        normMatch: undefined,
        selfTest: undefined,
      },
      row: (at) => bf16ToFloat32(rowBits(at)),
      layer: unused,
      position: unused,
      rows: unused,
      eachLayer: unused,
      view: unused,
      rowBits,
    };
  }
}

export function tokenIds(prompt: string | readonly number[]): number[] {
  return typeof prompt === "string" ? [0, ...new TextEncoder().encode(prompt)] : [...prompt];
}

/** Bits at one layer and position: depend on every token up to it. */
export function bitsAt(
  ids: readonly number[],
  layer: number,
  position: number,
  hiddenSize: number,
): Uint16Array {
  const seed = ids
    .slice(0, position + 1)
    .reduce((hash, id) => (hash * 33 + id + 1) % 65_521, layer * 257 + 5);
  return Uint16Array.from({ length: hiddenSize }, (_, i) => (seed * (i + 3) * 40_503 + i * 7919) % 65_536);
}
