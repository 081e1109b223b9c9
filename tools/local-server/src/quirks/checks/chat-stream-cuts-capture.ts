import type { Generation } from "@residua/engine";
import type { ActiveQuirks } from "../active-quirks.ts";
import { defineQuirk } from "../quirk.ts";

export const chatStreamCutsCapture = defineQuirk({
  name: "chat-stream-cuts-capture",
  wrong:
    "a chat completion that is streamed brings the rows of the prompt alone: those of the generated tokens are cut off",
  seen: "vllm-lens 1.3.0 on vLLM 0.30.0, seen live: 42 rows streamed where 46 came otherwise",
  caught: {
    by: null,
    note: "the client does not chat; a completion is not captured while it is streamed. Self-test S11 finds it with a model that has a chat template, which the embedded one lacks",
  },
  profiles: ["vllm"],
});

/** The generations of a streamed chat, their captures cut where the server is told to. */
export function cutCaptures(
  generations: readonly Generation[],
  promptTokens: number,
  quirks: ActiveQuirks,
): readonly Generation[] {
  if (!quirks.has("chat-stream-cuts-capture")) return generations;
  return generations.map((generation) => {
    const { capture } = generation;
    if (capture === null) return generation;
    const values = capture.values.map((rows) => rows.subarray(0, promptTokens * capture.hiddenSize));
    return { ...generation, capture: { ...capture, positions: promptTokens, values } };
  });
}
