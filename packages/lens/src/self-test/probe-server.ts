import type { Choice, ModelDescription } from "@residua/client";
import type { LensCore } from "../lens-core.ts";
import type { SelfTestRequests } from "./self-test-requests.ts";
import { mark, sentence } from "./test-prompts.ts";

/** What is found out before the checks. */
export interface Facts {
  /** The prompt that the checks share. */
  readonly text: string;
  /** Its token ids; undefined where the server does not tell them all. */
  readonly tokens: readonly number[] | undefined;
  readonly layerCount: number;
  readonly checkpoint: string;
  readonly systemFingerprint: string | undefined;
  /** vLLM's version. */
  readonly version: string | undefined;
  /** Tokens of a block of the prefix cache; 16, vLLM's usual size, where the server does not tell. */
  readonly blockTokens: number;
  /** Routes that the server describes (`/openapi.json`); undefined where it does not. */
  readonly routes: readonly string[] | undefined;
}

/**
 * Asks a plain completion (what it throws ends the self-test: there is no server to test), how many layers the model has, and
 * what the server says of itself.
 */
export async function probeServer(
  { client, profile }: LensCore,
  model: ModelDescription,
  requests: SelfTestRequests,
): Promise<Facts> {
  const text = sentence(mark());
  const { choices, ...answer } = await requests.complete({ prompt: text, fields: profile.capture.fields });
  const counted = model.layers.value === undefined ? await countLayers(requests) : undefined;
  if (counted !== undefined) client.observe(model.id, { layers: counted });
  const layerCount = model.layers.value ?? counted ?? 1;
  requests.setLayerCount(layerCount);
  const vllm = client.profile === "vllm";
  const openApi = await getJson(requests, "/openapi.json");
  const metrics = vllm ? await metricsText(requests) : "";
  const version = vllm ? (await getJson(requests, "/version"))?.["version"] : undefined;
  const paths = openApi?.["paths"];
  return {
    text,
    tokens: promptTokens(choices[0], model.bosTokenId.value),
    layerCount,
    checkpoint: answer.model,
    systemFingerprint: answer.system_fingerprint ?? undefined,
    version: typeof version === "string" ? version : undefined,
    blockTokens: Number(/vllm:cache_config_info\{.*?block_size="(\d+)"/.exec(metrics)?.[1] ?? 16),
    routes: typeof paths === "object" && paths !== null ? Object.keys(paths) : undefined,
  };
}

/**
 * Layers of a model whose catalogue does not state them: from a capture of all of a short prompt; where that is refused, by halving
 * between a layer that is there and one that is not. Undefined: there are no captures.
 */
async function countLayers({ wrong, shapeOf }: SelfTestRequests): Promise<number | undefined> {
  const { body, refused } = await wrong({ prompt: "Hi", layers: "all" });
  if (!refused) return shapeOf(body)?.[0];
  const has = async (layer: number) => {
    const one = await wrong({ prompt: "Hi", layers: [layer] });
    return !one.refused && shapeOf(one.body) !== undefined;
  };
  if (!(await has(0))) return undefined;
  let [there, not] = [0, 1];
  while (not < 1024 && (await has(not))) [there, not] = [not, 2 * not];
  while (not - there > 1) {
    const middle = Math.floor((there + not) / 2);
    if (await has(middle)) there = middle;
    else not = middle;
  }
  return not;
}

/** Ids as the server names them: outright, or all but the first by their log probabilities. */
function promptTokens(choice: Choice | undefined, bos: number | undefined): number[] | undefined {
  if (choice?.prompt_token_ids) return choice.prompt_token_ids;
  const entries = choice?.prompt_logprobs;
  if (!entries) return undefined;
  const ids = entries.map((entry, i) => {
    const named = Object.keys(entry ?? {});
    return i === 0 ? bos : named.length === 1 ? Number(named[0]) : undefined;
  });
  return ids.some((id) => id === undefined) ? undefined : (ids as number[]);
}

async function getJson(
  requests: SelfTestRequests,
  path: string,
): Promise<Record<string, unknown> | undefined> {
  try {
    const { body } = await requests.raw({ path, root: true });
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : undefined;
  } catch (error) {
    return ignoreAnswer(error);
  }
}

/** vLLM's counters as text; empty where there are none. */
export async function metricsText(requests: SelfTestRequests): Promise<string> {
  try {
    const { body } = await requests.raw({ path: "/metrics", root: true, bytes: true });
    return body instanceof Uint8Array ? new TextDecoder().decode(body) : "";
  } catch (error) {
    return ignoreAnswer(error) ?? "";
  }
}

/** What a server may lack tells nothing; an abort ends the self-test. */
function ignoreAnswer(error: unknown): undefined {
  if ((error as { code?: unknown }).code === "aborted") throw error;
  return undefined;
}
