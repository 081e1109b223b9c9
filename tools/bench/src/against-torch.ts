import { loadModel, type BackendName, type Model } from "@residua/engine";
import { timed } from "./clock.ts";
import type { Contest } from "./row.ts";
import { startTorchPeer, torchName } from "./torch-peer.ts";

interface Options {
  readonly id: string;
  readonly work: string;
  readonly folder: string;
  readonly prompts: (tokenizer: Model["tokenizer"]) => number[][];
  /** Tokens to generate after each prompt. */
  readonly count: number;
  /** Default wasm. */
  readonly backend?: BackendName;
  readonly goal?: number;
}

/** Greedy tokens of prompts, one after the other, by the engine in this process and by PyTorch. */
export async function againstTorch(options: Options): Promise<Contest> {
  const { id, work, folder, prompts: encode, count, backend = "wasm", goal = null } = options;
  const model = await loadModel(folder, { backend });
  const prompts = encode(model.tokenizer);
  const generate = async () => {
    const tokens: (readonly number[])[] = [];
    for (const prompt of prompts) {
      // The peer runs every prompt each time, and so do we.
      const request = { prompt, maxTokens: count, temperature: 0, skipPrefixCache: true };
      const [generation] = await model.generate([request]);
      tokens.push(generation!.choices[0]!.tokens);
    }
    return tokens;
  };
  const peer = startTorchPeer();
  return {
    id,
    work: `${work} (${prompts.reduce((sum, { length }) => sum + length, 0)} prompt tokens)`,
    peerName: torchName,
    goal,
    async checkEqual() {
      const theirs = await peer.load(folder, prompts, count);
      (await generate()).forEach((tokens, i) => {
        if (tokens.join() === theirs[i]!.join()) return;
        throw new Error(`prompt ${i}: tokens ${tokens.join()}, and ${theirs[i]!.join()} by PyTorch`);
      });
    },
    ours: () => timed(generate),
    peer: () => peer.time(prompts, count),
    memory: async () => ({ ours: process.memoryUsage().rss, peer: await peer.memory() }),
    async close() {
      await peer.close();
      await model.dispose();
    },
  };
}
