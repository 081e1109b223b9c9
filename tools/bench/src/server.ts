import { loadModel } from "@residua/engine";
import { modelFolder, statementsAbout } from "@residua/tiny-model";
import * as z from "zod";
import { startPythonPeer } from "./python-peer.ts";
import type { Contest } from "./row.ts";

const loaded = z.object({ tokens: z.array(z.int()) });
const timed = z.object({ ms: z.number() });

/** `npm run bench -- server`. */
export async function* serverContests(): AsyncGenerator<Contest> {
  yield await prefill();
}

/** The likeliest next token of 64 statements, one after the other, on the embedded model. */
async function prefill(): Promise<Contest> {
  const model = await loadModel(modelFolder);
  const prompts = statementsAbout({ split: "heldOut" })
    .slice(0, 64)
    .map(({ prompt }) => model.tokenizer.encode(prompt));
  const tokens = prompts.reduce((sum, ids) => sum + ids.length, 0);
  const nextTokens = async () => {
    const next: number[] = [];
    for (const prompt of prompts) {
      const [generation] = await model.generate([{ prompt, maxTokens: 1, temperature: 0 }]);
      next.push(generation!.choices[0]!.tokens[0]!);
    }
    return next;
  };
  const peer = startPythonPeer("torch_llama.py", ["torch==2.13.0", "transformers==5.24.0", "numpy==2.4.6"]);
  return {
    id: "server/tiny-prefill",
    work: `next token of ${prompts.length} statements (${tokens} tokens), one after the other, on the embedded model`,
    peerName: "PyTorch float32, 2 threads",
    goal: null,
    async checkEqual() {
      const theirs = loaded.parse(await peer.ask({ do: "load", folder: modelFolder, prompts })).tokens;
      const ours = await nextTokens();
      const at = ours.findIndex((token, i) => token !== theirs[i]);
      if (at >= 0) throw new Error(`statement ${at}: next token ${ours[at]}, and ${theirs[at]} by PyTorch`);
    },
    async ours() {
      const began = performance.now();
      await nextTokens();
      return performance.now() - began;
    },
    peer: async () => timed.parse(await peer.ask({ do: "run", prompts })).ms,
    async close() {
      await peer.close();
      await model.dispose();
    },
  };
}
