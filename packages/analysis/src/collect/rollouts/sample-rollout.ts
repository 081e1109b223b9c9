import { type Completion, type EncodedChat, type Lens, ResiduaError } from "@residua/lens";
import { DatasetError } from "../../dataset/dataset-error.ts";
import type { CollectLens } from "../collect-lens.ts";
import type { PlannedRollout } from "./rollout-plan.ts";
import type { RolloutSettings } from "./rollout-options.ts";
import type { Sample } from "./rollout.ts";

/** What rollouts take of a lens. */
export type RolloutLens = CollectLens & Pick<Lens, "generate">;

/**
 * Samples one rollout and keeps the ids of its tokens as the server ran them. Throws DatasetError `token_ids_unknown` where the server
 * does not tell them: they are never guessed by tokenising the text anew.
 */
export async function sampleRollout(
  lens: Pick<RolloutLens, "generate">,
  rollout: PlannedRollout,
  options: {
    settings: RolloutSettings;
    model: string;
    chat: EncodedChat | undefined;
    bosTokenId: number | undefined;
  },
): Promise<Sample> {
  const { settings, model, chat, bosTokenId } = options;
  const { max_tokens, temperature, stop, sampling, logprobs } = settings.rollouts;
  const { signal, to } = settings.collect;
  const { example, index, seed, key } = rollout;
  const sent = chat?.tokenIds ?? (example.prompt as string | number[]);
  const request = {
    ...sampling,
    model,
    prompt: typeof sent === "string" ? sent : [...sent],
    max_tokens,
    temperature,
    seed,
    ...(stop !== undefined && { stop: typeof stop === "string" ? stop : [...stop] }),
    ...(logprobs && { logprobs: 1 }),
  };
  const completion = await lens.generate(request, signal ? { signal } : {});
  const { promptIds, generatedIds } = tokenIdsOf(completion, sent, to);
  if (typeof sent === "string") refuseDoubledBos(promptIds, bosTokenId);
  const [choice] = completion.choices;
  return {
    kind: "sample",
    key,
    example: example.id,
    rollout: index,
    seed,
    promptIds,
    generatedIds,
    text: choice?.text ?? "",
    promptText: chat ? chat.text : typeof sent === "string" ? sent : null,
    finishReason: choice?.finish_reason ?? null,
    logprobs: logprobs ? logprobsOf(completion, generatedIds.length) : null,
    spans: chat ? [...chat.spans] : null,
    template: chat?.template ?? null,
  };
}

function tokenIdsOf(
  { choices, usage }: Completion,
  sent: string | readonly number[],
  path: string,
): { promptIds: number[]; generatedIds: number[] } {
  const [choice] = choices;
  const generatedIds = choice?.token_ids ?? undefined;
  const told = choice?.prompt_token_ids ?? undefined;
  const promptIds = told ?? (typeof sent === "string" ? undefined : [...sent]);
  if (generatedIds === undefined || promptIds === undefined)
    throw idsUnknown(path, generatedIds === undefined ? "generated" : "prompt");
  if (typeof sent !== "string" && String(told ?? sent) !== String(sent)) {
    throw new ResiduaError(
      "token_ids",
      `${sent.length} token ids were sent and the server ran others (${promptIds.length}): something between here and the model changes prompts`,
    );
  }
  const counted = usage?.completion_tokens ?? generatedIds.length;
  if (generatedIds.length === 0 || generatedIds.length !== counted) {
    throw new ResiduaError(
      "token_count",
      `usage counts ${counted} generated tokens and the answer lists ${generatedIds.length}`,
    );
  }
  return { promptIds, generatedIds };
}

/** What follows it would be kept, and every capture of it refused. */
function refuseDoubledBos([first, second]: readonly number[], bosTokenId: number | undefined): void {
  if (bosTokenId === undefined || first !== bosTokenId || second !== bosTokenId) return;
  throw new ResiduaError(
    "double_bos",
    `the server ran the prompt with its BOS token (${bosTokenId}) twice: leave it out of the prompt's text if it is there; else something ` +
      "between here and the model adds one",
  );
}

function idsUnknown(path: string, which: "generated" | "prompt"): DatasetError {
  return new DatasetError("token_ids_unknown", {
    path,
    found: `a completion without the ids of its ${which} tokens`,
    expected: "an answer that names them (token_ids, prompt_token_ids)",
    advice:
      "Rollouts are captured by the ids that were sampled; the text tokenised anew may be other tokens. Use a vLLM server (profile vllm) or a " +
      "local model (openLocal): servers of profile acs do not tell ids.",
  });
}

/** Both shapes in which servers give them. */
function logprobsOf({ choices }: Completion, count: number): number[] {
  const given = choices[0]?.logprobs;
  const list = given?.token_logprobs ?? given?.content?.map((one) => one?.logprob ?? null) ?? [];
  const numbers = list.filter((one) => typeof one === "number");
  if (numbers.length === count) return numbers;
  throw new ResiduaError(
    "token_count",
    `${count} tokens were generated and the answer gives log probabilities of ${numbers.length}`,
  );
}
