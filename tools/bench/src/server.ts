import { modelFolder } from "@residua/tiny-model";
import { againstTorch } from "./against-torch.ts";
import { intervention } from "./intervention.ts";
import type { Contest } from "./row.ts";
import { batching, firstAnswer, overhead } from "./server-contests.ts";
import { smolLm2Folder } from "./smollm2-folder.ts";
import { statements } from "./statements.ts";

const rows: Readonly<Record<string, (id: string) => Promise<Contest>>> = {
  "server/tiny-prefill": (id) =>
    againstTorch({
      id,
      work: "next token of 64 statements, one after the other, on the embedded model",
      folder: modelFolder,
      prompts: (tokenizer) => statements(64).map((text) => tokenizer.encode(text)),
      count: 1,
    }),
  "server/tiny-batch": batching,
  "server/tiny-first-answer": firstAnswer,
  "server/tiny-http": overhead,
  // The larger model comes last: the memory that it takes stays with this process.
  "server/smollm2-capture": (id) =>
    intervention({
      id,
      what: "one layer captured",
      goal: 1 / 1.1,
      extra: ({ layer }) => ({ output_residual_stream: [layer] }),
    }),
  "server/smollm2-steering": (id) =>
    intervention({
      id,
      what: "one steering vector at every position",
      goal: 1 / 1.05,
      extra: ({ layer, vector }) => ({
        apply_steering_vectors: [{ activations: vector, layer_indices: [layer] }],
      }),
    }),
  "server/smollm2-prefill": (id) => smolLm2Prefill({ id }),
  "server/smollm2-decode": (id) => smolLm2Decode({ id }),
  // The same on TensorFlow's library, which residua backend install builds.
  "server/smollm2-prefill-native": (id) => smolLm2Prefill({ id, backend: "native", goal: 0.5 }),
  "server/smollm2-decode-native": (id) => smolLm2Decode({ id, backend: "native", goal: 0.5 }),
};

type SmolLm2Options = Pick<Parameters<typeof againstTorch>[0], "id" | "backend" | "goal">;

function smolLm2Prefill(options: SmolLm2Options): Promise<Contest> {
  return againstTorch({
    ...options,
    work: "next token of 4 texts of 64 tokens, one after the other, on SmolLM2-135M",
    folder: smolLm2Folder(),
    prompts: (tokenizer) => {
      const ids = tokenizer.encode(statements(60).join("\n"));
      return [0, 1, 2, 3].map((part) => ids.slice(64 * part, 64 * (part + 1)));
    },
    count: 1,
  });
}

function smolLm2Decode(options: SmolLm2Options): Promise<Contest> {
  return againstTorch({
    ...options,
    work: "24 tokens after a short prompt, on SmolLM2-135M",
    folder: smolLm2Folder(),
    prompts: (tokenizer) => [tokenizer.encode("The capital of Italy is")],
    count: 24,
  });
}

/** `npm run bench -- server`. */
export async function* serverContests(wanted: (id: string) => boolean): AsyncGenerator<Contest> {
  for (const [id, contest] of Object.entries(rows)) if (wanted(id)) yield await contest(id);
}
