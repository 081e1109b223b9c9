import { createClient, type Client } from "@residua/client";
import { createLens, type Lens } from "@residua/lens";
import { loadModel, type Model } from "@residua/engine";
import type { ProfileName } from "../../src/profile.ts";
import type { QuirkName } from "../../src/quirks/quirk-list.ts";
import { floatsOf, start, tinyModel, type Running, type Tensor } from "../support.ts";

export const prompt = "The city of Rome is in Europe. Verdict:";

/** The tiny model with a chat template, which its folder lacks; it begins with the BOS text, as many do. */
export async function loadChatModel(): Promise<Model> {
  const template = "{{ bos_token }}{% for message in messages %}{{ message.content }} {% endfor %}";
  return { ...(await loadModel(tinyModel)), chatTemplate: { template, specialTokens: { bos_token: "<s>" } } };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON, `{}` where it is none. */
  readonly body: RawBody;
}

interface RawBody {
  readonly choices?: readonly { readonly text: string }[];
  readonly usage?: { readonly prompt_tokens: number };
  readonly activations?: { readonly residual_stream: Tensor };
  readonly error?: { readonly code: string };
}

/** Asks a server of which every request of `quirky` and of the client carries the quirk, or none does. */
export interface Scene {
  readonly running: Running;
  readonly model: Model;
  readonly quirky: (body: object) => Promise<RawAnswer>;
  /** Never with the quirk. */
  readonly plain: (body: object) => Promise<RawAnswer>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly client: Client;
  readonly lens: Lens;
}

export interface QuirkCase {
  /** Default: acs. */
  readonly profile?: ProfileName;
  /** What shows on the wire. */
  readonly observe: (scene: Scene) => Promise<unknown>;
  readonly on: unknown;
  readonly off: unknown;
  /** What somebody does with the packages that meets the quirk. */
  readonly use: (scene: Scene) => Promise<unknown>;
}

/** A server of its own, in test mode, over a model that is loaded already. */
export async function withScene<T>(
  model: Model,
  quirk: QuirkName | null,
  act: (scene: Scene) => Promise<T>,
  profile: ProfileName = "acs",
): Promise<T> {
  const running = await start({ model, profile, testMode: true, drainTimeout: 50 });
  const url = running.server.url;
  const headers: Record<string, string> = quirk === null ? {} : { "x-residua-quirk": quirk };
  const ask = async (body: object, more: Record<string, string>): Promise<RawAnswer> => {
    const answer = await fetch(`${url}/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...more },
      body: JSON.stringify({ model: "tiny", max_tokens: 1, temperature: 0, ...body }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: parse(text) };
  };
  const client = createClient({
    baseURL: url,
    headers,
    maxRetries: 1,
    timeout: 5000,
    backoff: { first: 1, longest: 1 },
    longestRetryAfter: 0,
  });
  try {
    return await act({
      running,
      model,
      url,
      headers,
      client,
      lens: createLens(client),
      quirky: (body) => ask(body, headers),
      plain: (body) => ask(body, {}),
    });
  } finally {
    await running.server.close();
  }
}

function parse(text: string): RawBody {
  try {
    return JSON.parse(text) as RawBody;
  } catch {
    return {};
  }
}

/** The rows of an answer's capture: [layers][positions][hidden]. */
export function rowsOf({ body }: RawAnswer): number[][][] {
  const tensor = body.activations!.residual_stream;
  const [layers = 0, positions = 0, hidden = 0] = tensor.shape;
  const values = floatsOf(tensor);
  return Array.from({ length: layers }, (_, l) =>
    Array.from({ length: positions }, (_, p) => {
      const at = (l * positions + p) * hidden;
      return [...values.subarray(at, at + hidden)];
    }),
  );
}

export const shapeOf = ({ body }: RawAnswer) => body.activations?.residual_stream.shape ?? null;

/** Positions of a layer at which two captures differ. */
export function changedRows(a: readonly number[][], b: readonly number[][]): number[] {
  return a.flatMap((row, p) => (row.some((x, i) => x !== b[p]![i]) ? [p] : []));
}

/** The events of a stream, comments left out. */
export function events({ text }: RawAnswer): string[] {
  return text.split("\n\n").filter((event) => event.startsWith("data: "));
}
