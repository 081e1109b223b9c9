import { timed } from "./clock.ts";
import type { Contest } from "./row.ts";
import { smolLm2Folder } from "./smollm2-folder.ts";
import { spawnServer } from "./spawned-server.ts";
import { statements } from "./statements.ts";

const layer = 15;
const hiddenSize = 576;
const newTokens = 12;

interface Options {
  readonly id: string;
  readonly what: string;
  readonly goal: number;
  /** The fields that the plain request has not. */
  readonly extra: (parts: { layer: number; vector: object }) => object;
}

/** What capture or steering costs a request over HTTP on SmolLM2-135M: the same request with and without. */
export async function intervention({ id, what, goal, extra }: Options): Promise<Contest> {
  const server = await spawnServer(smolLm2Folder());
  let asked = 0;
  // Each time another beginning: the prefix cache, which a capture never reads, would run the plain one's prompt only once.
  const plain = () => ({
    prompt: [`Text ${String(1000 + asked++)}.`, ...statements(12)].join("\n"),
    max_tokens: newTokens,
  });
  // Weak, so that the text goes on as it would; its numbers are as many as those of a strong one.
  const values = Float32Array.from({ length: hiddenSize }, (_, i) => Math.sin(i) / 10);
  const data = Buffer.from(values.buffer).toString("base64");
  const vector = { data, dtype: "float32", shape: [1, hiddenSize] };
  const changed = () => ({ ...plain(), ...extra({ layer, vector }) });
  const { usage } = await server.complete(plain());
  return {
    id,
    work: `${newTokens} tokens after a new prompt of ${usage.prompt_tokens} over HTTP on SmolLM2-135M, ${what}`,
    peerName: "the same request without",
    goal,
    async checkEqual() {
      for (const body of [changed(), plain()]) {
        const answer = await server.complete(body);
        const count = answer.usage.completion_tokens;
        if (count !== newTokens) throw new Error(`${count} tokens came, not ${newTokens}`);
        const shape = answer.activations?.residual_stream.shape.join();
        const expected = [1, usage.prompt_tokens + newTokens - 1, hiddenSize].join();
        if (shape !== ("output_residual_stream" in body ? expected : undefined))
          throw new Error(`a capture of shape ${shape ?? "none"} came`);
      }
    },
    ours: () => timed(() => server.complete(changed())),
    peer: () => timed(() => server.complete(plain())),
    memory: async () => ({ ours: await server.memory(), peer: null }),
    close: () => server.close(),
  };
}
