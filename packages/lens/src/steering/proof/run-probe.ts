import { completionEndpoints, type Endpoint } from "@residua/client";
import { prepareCapture } from "../../capture/prepare-capture.ts";
import { readCapture } from "../../capture/read-capture.ts";
import type { LensCore } from "../../lens-core.ts";
import type { Capture, CapturedToken, LensOptions } from "../../lens-types.ts";
import type { TokenBounds } from "../../limits/capture-limit.ts";
import type { AnyCapture, AnyGenerate } from "../../requests/lens-request.ts";
import { sendBody } from "../../send-body.ts";
import { exactTokens } from "../exact-tokens.ts";
import { withGeneratedIds } from "./generated-ids.ts";
import { beforePosition } from "./restrict-vector.ts";
import { sameTokens, teacherPrompts } from "./teacher-prompts.ts";

/** A request whose steering is to be proven. */
export type ProvenRequest = Pick<AnyGenerate, "model" | "prompt" | "steering" | "max_tokens" | "verify"> & {
  add_special_tokens?: boolean | null | undefined;
};

/** The steered capture, with the ids of its generated tokens where they could be learnt. */
export interface Probed {
  readonly capture: Capture;
  readonly tokens: readonly CapturedToken[];
  readonly positions: number;
  readonly promptRows: number;
}

/** Generated tokens of the steered capture: two rows of decoding, and more where positions are named further on. */
const fewTokens = 3;
const manyTokens = 32;
/** Of the request's own fields, those that say what is run and for whom. */
const kept: readonly string[] = ["model", "prompt", "add_special_tokens", "user", "priority"];

/** The captures of a proof: the steered one, and the same tokens again with other vectors. */
export function runProbe(core: LensCore, request: ProvenRequest, options: LensOptions) {
  const { fields }: Endpoint = completionEndpoints[core.client.profile];
  const known = (name: string): boolean => Object.hasOwn(fields, name);
  const own = Object.entries(request).filter(
    ([name]) => kept.includes(name) && (name === "model" || known(name)),
  );
  const base = Object.fromEntries(own) as Pick<AnyCapture, "prompt">;
  const ask = (more: Pick<AnyCapture, "layers"> & Partial<AnyCapture>): Promise<Capture> =>
    capture(core, { ...base, ...more }, options);

  return {
    async steered(layers: readonly number[]): Promise<Probed> {
      const { steering } = request;
      const maxTokens = generatedTokens(request, await promptTokens(core, request, options));
      const asked = {
        layers,
        steering,
        max_tokens: maxTokens,
        ...(known("ignore_eos") && { ignore_eos: true }),
      };
      let found = await ask(asked);
      // Any generated tokens will do, as long as there are some: nearly uniform sampling seldom takes the end token.
      if (maxTokens > 1 && found.positions <= promptRows(found))
        found = await ask({ ...asked, temperature: 3 });
      const tokens = await withGeneratedIds(core, found, options);
      return { capture: found, tokens, positions: found.positions, promptRows: promptRows(found) };
    },

    /** How many leading rows are of the same tokens is in `rows`. */
    async again(
      steered: Probed,
      more: Pick<AnyCapture, "steering" | "layers">,
    ): Promise<{ plain: Capture; rows: number }> {
      const [first, ...others] = teacherPrompts(steered, request);
      const run = async (prompt: Pick<AnyCapture, "prompt">) => {
        const plain = await ask({ ...more, ...prompt, max_tokens: 1 });
        return { plain, rows: sameTokens(steered, plain) };
      };
      let best = await run(first);
      for (const prompt of others) {
        if (best.rows >= steered.promptRows) break;
        const next = await run(prompt);
        if (next.rows > best.rows) best = next;
      }
      return best;
    },
  };
}

function promptTokens(core: LensCore, request: ProvenRequest, options: LensOptions): Promise<TokenBounds> {
  const { model, prompt, steering, add_special_tokens: special } = request;
  return exactTokens(core, steering, { model, prompt, addSpecialTokens: special ?? true }, options);
}

async function capture(core: LensCore, request: AnyCapture, { signal }: LensOptions): Promise<Capture> {
  const options = signal ? { signal } : {};
  // Positions that these few tokens cannot reach are left to the request itself.
  const { most } = await promptTokens(core, request, options);
  const end = most + (request.max_tokens ?? 1) - 1;
  const steering = request.steering?.flatMap((vector) => beforePosition(vector, end));
  const prepared = await prepareCapture(core, { ...request, steering }, options);
  return readCapture(core, prepared, await sendBody(core, prepared.body, options), options);
}

/** How many tokens the request may generate: by default a capture one, and a completion 16. */
export function mostTokens(request: ProvenRequest): number {
  return request.max_tokens ?? ("layers" in request ? 1 : 16);
}

function generatedTokens(request: ProvenRequest, { least }: TokenBounds): number {
  const last = Math.max(-1, ...(request.steering ?? []).flatMap(({ positions }) => positions ?? []));
  return Math.min(mostTokens(request), manyTokens, Math.max(fewTokens, last - least + 3));
}

function promptRows({ tokens }: Pick<Capture, "tokens">): number {
  return tokens.filter(({ role }) => role === "prompt").length;
}
