import type { ReportLimits } from "@residua/analysis";
import { captureLimit } from "@residua/lens";
import type { Connection } from "./connect.ts";
import { refusedRaw } from "./raw-completion.ts";

/** The id under which the embedded server offers the same model outside its catalogue: it counts as the largest width. */
function uncataloguedId(model: string): string {
  return `${model}-uncatalogued`;
}

/** The seed's largest width, and the first product over 33 554 432 at that width: 2049 layers × tokens. */
const width = 16384;
const layerTokens = 2049;

/**
 * Asks for 2049 layers × tokens of the uncatalogued twin, once through lens (refused before sending) and once past it
 * (refused by the server). Returns undefined where the model's depth and context have no such request.
 */
export async function showLimit(
  { client, lens, model, embedded }: Connection,
  { signal }: { signal: AbortSignal },
): Promise<ReportLimits | undefined> {
  const known = await lens.describe(model);
  const depth = known.layers.value ?? 1;
  const context = known.contextLength.value ?? Number.POSITIVE_INFINITY;
  const layerCount = [3, 1].find((n) => n <= depth && layerTokens / n <= context);
  if (layerCount === undefined) return undefined;
  const tokens = layerTokens / layerCount;
  const layers = Array.from({ length: layerCount }, (_, layer) => layer);
  const prompt = new Array<number>(tokens - 1).fill(5);
  const id = uncataloguedId(model);

  const byLens = await refusal(lens.capture({ model: id, prompt, layers, max_tokens: 1 }, { signal }));
  const raw = { model: id, prompt, max_tokens: 1, output_residual_stream: layers };
  const byServer = await refusedRaw({ baseURL: client.baseURL, embedded }, raw, signal);
  return {
    asked: { model: id, layers: layerCount, positions: tokens, hiddenSize: width },
    sum: layerCount * tokens * width,
    limit: captureLimit,
    wouldFit: /would fit: (.*)/.exec(byLens)?.[1] ?? byLens,
    refusedByLens: byLens,
    refusedByServer: byServer,
  };
}

async function refusal(answer: Promise<unknown>): Promise<string> {
  try {
    await answer;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("a capture over the limit was not refused");
}
