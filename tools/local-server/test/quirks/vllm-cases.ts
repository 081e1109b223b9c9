import { prompt, shapeOf, type QuirkCase, type Scene } from "./quirk-support.ts";

const complete = ({ client }: Scene) =>
  client.completions.create({ model: "tiny", prompt, max_tokens: 1, temperature: 0 });

/** Rows of the capture that a chat brings, streamed and not. */
async function chatRows({ url, headers }: Scene, stream: boolean): Promise<number> {
  const answer = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({
      model: "tiny",
      messages: [{ role: "user", content: "Rome is" }],
      max_tokens: 3,
      min_tokens: 3,
      temperature: 0,
      stream,
      vllm_xargs: { output_residual_stream: "[4]" },
    }),
  });
  const text = await answer.text();
  const [, shape] = /"shape": ?\[([\d, ]+)\]/.exec(text) ?? [];
  if (shape === undefined) throw new Error(text);
  return Number(shape.split(",")[1]);
}

/** Quirks that vLLM with vllm-lens alone has. */
export const vllmCases = {
  "odd-selector-all-layers": {
    profile: "vllm",
    observe: async ({ quirky }) => {
      const odd = ["15", 15, true, false, "null", "every", "", "[4]", "[]"];
      const answers = odd.map((output_residual_stream) =>
        quirky({ prompt, vllm_xargs: { output_residual_stream } }),
      );
      return (await Promise.all(answers)).map((answer) => shapeOf(answer)?.[0] ?? answer.status);
    },
    on: [6, 6, 6, 6, 6, 6, 6, 1, 200],
    off: [400, 400, 400, 400, 400, 400, 400, 1, 200],
    use: complete,
  },
  "chat-stream-cuts-capture": {
    profile: "vllm",
    observe: async (scene) => (await chatRows(scene, false)) - (await chatRows(scene, true)),
    on: 2,
    off: 0,
    use: complete,
  },
} satisfies Record<string, QuirkCase>;
