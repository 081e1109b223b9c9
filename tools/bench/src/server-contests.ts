import { loadModel } from "@residua/engine";
import { modelFolder } from "@residua/tiny-model";
import { timed } from "./clock.ts";
import type { Contest } from "./row.ts";
import { spawnServer } from "./spawned-server.ts";
import { statements } from "./statements.ts";
import { startTorchPeer } from "./torch-peer.ts";

/** Eight sequences that share their passes against the same eight one after the other, in process. */
export async function batching(id: string): Promise<Contest> {
  const model = await loadModel(modelFolder);
  const requests = [0, 1, 2, 3, 4, 5, 6, 7].map((seed) => ({
    prompt: model.tokenizer.encode("The city of"),
    maxTokens: 96,
    skipPrefixCache: true,
    ignoreEos: true,
    temperature: 1,
    seed,
  }));
  const tokensOf = (generations: Awaited<ReturnType<typeof model.generate>>) =>
    generations.map(({ choices }) => choices[0]!.tokens.join());
  const together = () => model.generate(requests);
  const apart = async () => {
    const all = [];
    for (const request of requests) all.push(...(await model.generate([request])));
    return all;
  };
  const count = (await together()).reduce((sum, { choices }) => sum + choices[0]!.tokens.length, 0);
  return {
    id,
    work: `${count} tokens of 8 sequences at once on the embedded model`,
    peerName: "one after the other",
    goal: 4,
    async checkEqual() {
      const ours = tokensOf(await together());
      tokensOf(await apart()).forEach((tokens, i) => {
        if (tokens !== ours[i]) throw new Error(`sequence ${i} is another one when run beside others`);
      });
    },
    ours: () => timed(together),
    peer: () => timed(apart),
    memory: () => Promise.resolve({ ours: process.memoryUsage().rss, peer: null }),
    close: () => model.dispose(),
  };
}

/** From the start of a process to the last byte of its first answer; a new process each time. */
export async function firstAnswer(id: string): Promise<Contest> {
  const model = await loadModel(modelFolder);
  const text = "The city of Rome is in Europe. Verdict:";
  const ids = model.tokenizer.encode(text);
  const memory = { ours: 0, peer: 0 };
  const answers = { ours: "", peer: "" };
  const ours = async () => {
    const began = performance.now();
    const server = await spawnServer("tiny");
    const { choices } = await server.complete({ prompt: text, max_tokens: 1 });
    const took = performance.now() - began;
    answers.ours = choices[0]!.text;
    memory.ours = Math.max(memory.ours, await server.memory());
    await server.close();
    return took;
  };
  const peer = async () => {
    const began = performance.now();
    const torch = startTorchPeer();
    const [tokens] = await torch.load(modelFolder, [ids], 1);
    const took = performance.now() - began;
    answers.peer = model.tokenizer.decode(tokens!);
    memory.peer = Math.max(memory.peer, await torch.memory());
    await torch.close();
    return took;
  };
  return {
    id,
    work: "from the start of the process to the first answer's last byte, on the embedded model",
    peerName: "PyTorch and transformers, without HTTP",
    goal: null,
    limit: 1000,
    async checkEqual() {
      await ours();
      await peer();
      if (answers.ours !== answers.peer || answers.ours === "")
        throw new Error(`${JSON.stringify(answers.ours)}, and ${JSON.stringify(answers.peer)} by PyTorch`);
    },
    ours,
    peer,
    memory: () => Promise.resolve(memory),
    close: () => model.dispose(),
  };
}

/** What HTTP adds to a request: the server in a process of its own against the engine in this one. */
export async function overhead(id: string): Promise<Contest> {
  const model = await loadModel(modelFolder);
  const server = await spawnServer("tiny");
  const texts = statements(64);
  const overHttp = async () => {
    const answers: string[] = [];
    for (const prompt of texts)
      answers.push((await server.complete({ prompt, max_tokens: 1 })).choices[0]!.text);
    return answers;
  };
  const inProcess = async () => {
    const answers: string[] = [];
    for (const text of texts) {
      const prompt = model.tokenizer.encode(text);
      const [generation] = await model.generate([{ prompt, maxTokens: 1, temperature: 0 }]);
      answers.push(generation!.choices[0]!.text);
    }
    return answers;
  };
  return {
    id,
    work: `next token of ${texts.length} statements, one request after the other over HTTP, on the embedded model`,
    peerName: "the engine without HTTP",
    goal: null,
    async checkEqual() {
      const [ours, peer] = [await overHttp(), await inProcess()];
      if (ours.join() !== peer.join()) throw new Error("the server's answers are not the engine's");
    },
    ours: () => timed(overHttp),
    peer: () => timed(inProcess),
    memory: async () => ({ ours: await server.memory(), peer: process.memoryUsage().rss }),
    async close() {
      await server.close();
      await model.dispose();
    },
  };
}
