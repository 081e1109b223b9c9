import type { Usage } from "./completion.ts";

/** Sets the one count that a server left out or sent as null: prompt + generated = total. */
export function fillUsage(usage: Usage): Usage {
  const {
    prompt_tokens: prompt,
    completion_tokens: generated,
    total_tokens: total,
  } = usage as Partial<Usage>;
  if (typeof prompt !== "number")
    return { ...usage, prompt_tokens: Math.max(0, (total ?? 0) - (generated ?? 0)) };
  if (typeof generated !== "number")
    return { ...usage, completion_tokens: Math.max(0, (total ?? 0) - prompt) };
  return typeof total === "number" ? usage : { ...usage, total_tokens: prompt + generated };
}
