import type { GenerationRequest } from "../generation-request.ts";

/** The fields of sampling that the profiles have alike; null, and a field that a profile has not, is left out. */
interface SamplingFields {
  readonly temperature?: number | null | undefined;
  readonly top_p?: number | null | undefined;
  readonly top_k?: number | null | undefined;
  readonly min_p?: number | null | undefined;
  readonly presence_penalty?: number | null | undefined;
  readonly frequency_penalty?: number | null | undefined;
  readonly repetition_penalty?: number | null | undefined;
  readonly stop?: string | readonly string[] | null | undefined;
}

/** The same for the engine. What is left out takes OpenAI's default, or does nothing. */
export function samplingFields(request: SamplingFields) {
  return {
    temperature: request.temperature ?? 1,
    topP: request.top_p ?? 1,
    topK: request.top_k ?? 0,
    minP: request.min_p ?? 0,
    presencePenalty: request.presence_penalty ?? 0,
    frequencyPenalty: request.frequency_penalty ?? 0,
    repetitionPenalty: request.repetition_penalty ?? 1,
    stop: [request.stop ?? []].flat(),
  } satisfies Partial<GenerationRequest>;
}
