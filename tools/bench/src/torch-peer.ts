import * as z from "zod";
import { startPythonPeer, type PythonPeer } from "./python-peer.ts";

const loaded = z.object({ tokens: z.array(z.array(z.int())) });
const timed = z.object({ ms: z.number() });
const measured = z.object({ bytes: z.number() });

export const torchName = "PyTorch float32, 2 threads";

/** A Llama model in PyTorch: for each prompt its `count` likeliest next tokens. */
export interface TorchPeer {
  /** Loads a folder and returns the tokens. */
  load(folder: string, prompts: readonly (readonly number[])[], count: number): Promise<number[][]>;
  /** Milliseconds for the same work again. */
  time(prompts: readonly (readonly number[])[], count: number): Promise<number>;
  /** The most bytes that the process has held. */
  memory(): Promise<number>;
  close(): Promise<void>;
}

export function startTorchPeer(): TorchPeer {
  const requirements = ["torch==2.13.0", "transformers==5.24.0", "numpy==2.4.6"];
  const peer: PythonPeer = startPythonPeer("torch_llama.py", requirements);
  return {
    load: async (folder, prompts, count) =>
      loaded.parse(await peer.ask({ do: "load", folder, prompts, count })).tokens,
    time: async (prompts, count) => timed.parse(await peer.ask({ do: "run", prompts, count })).ms,
    memory: async () => measured.parse(await peer.ask({ do: "memory" })).bytes,
    close: () => peer.close(),
  };
}
