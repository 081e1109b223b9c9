import { steeringVector } from "../../src/steering/steering-vector.ts";
import type { Reply } from "../json-server.ts";
import { exchange } from "../replay-server.ts";
import { codeOf, vllmAt } from "./vllm-replay.ts";

/** A recorded answer that is silently wrong, or a request that a real server answers so. */
export interface SilentFault {
  /** Where it was seen: a check of the self-test, or what was done. */
  what: string;
  /** Names of recordings. */
  recorded: string;
  wrong: string;
  /** The request of lens at a server that answers so, and its outcome: a code, and whether anything was sent. */
  run: () => Promise<string>;
}

const prompt = "The capital of France is";
const ids = [504, 3575, 282, 4649, 314];
const row = Float32Array.from({ length: 576 }, (_, i) => Math.sin(i));
const known = { models: { smollm2: { hiddenSize: 576, layers: 30, vocabSize: 49152 } } };

const recorded = (name: string): Reply => {
  const { response_body: body, status } = exchange(name);
  return { body, status };
};
const answering = (name: string) => (asked: { path: string }) => {
  if (asked.path === "/v1/completions") return recorded(name);
  if (asked.path === "/v1/hooks/collect" && name === "dis_cap") return recorded("dis_collect");
  return undefined;
};

/** What becomes of a request at a server that gives this answer. */
async function outcome(
  name: string,
  ask: (at: Awaited<ReturnType<typeof vllmAt>>) => Promise<unknown>,
  options = {},
) {
  const at = await vllmAt(answering(name), options);
  const code = await codeOf(ask(at));
  return `\`${code}\`${at.completions().length === 0 ? ", nothing is sent" : ""}`;
}

export const silentFaults: readonly SilentFault[] = [
  {
    what: "S3",
    recorded: "`cap_sel_neg`, `cap_sel_99`, `cap_sel_empty`",
    wrong: "layers that there are not: no capture under a 200",
    run: () => outcome("dis_cap", ({ lens }) => lens.capture({ prompt, layers: [-1] })),
  },
  {
    what: "S3",
    recorded: "`cap_sel_mixed`",
    wrong: "layers 3 and 99 asked: layer 3 alone comes",
    run: async () => {
      const ask = (at: Awaited<ReturnType<typeof vllmAt>>) => at.lens.capture({ prompt, layers: [3, 99] });
      const layersUnknown = await outcome("cap_L2_max4", (at) =>
        at.lens.capture({ prompt, layers: [3, 99], max_tokens: 4 }),
      );
      return `${layersUnknown}; where the number of layers is known ${await outcome("cap_L2_max4", ask, known)}`;
    },
  },
  {
    what: "S9",
    recorded: "`steer_bad_hidden_575`",
    wrong: "a vector of 575 numbers: 200, unsteered, and one of three layers is missing",
    run: async () => {
      const steering = [steeringVector({ rows: { 10: row.slice(1) } })];
      const ask = { prompt, layers: [9, 10, 11], max_tokens: 8, steering };
      const widthUnknown = await outcome("steer_bad_hidden_575", ({ lens }) => lens.capture(ask));
      const widthKnown = await outcome("steer_bad_hidden_575", ({ lens }) => lens.capture(ask), known);
      return `${widthUnknown}; where the width is known ${widthKnown}`;
    },
  },
  {
    what: "S9",
    recorded: "`steer_bad_hidden_577`",
    wrong: "the same with that layer alone asked: no capture under a 200",
    run: () =>
      outcome("steer_bad_hidden_577", ({ lens }) => lens.capture({ prompt, layers: [10], max_tokens: 8 })),
  },
  {
    what: "S10",
    recorded: "`cap_n2`, `steer_n2_real`",
    wrong: "n = 2: no capture, and no choice is steered",
    run: () =>
      outcome("cap_n2", ({ lens }) => lens.capture({ prompt, layers: [10], ...({ n: 2 } as object) })),
  },
  {
    what: "S10",
    recorded: "`cap_two_prompts_rev`, `steer_two_prompts`",
    wrong: "two prompts: capture and steering of the first alone",
    run: () =>
      outcome("cap_two_prompts_rev", ({ lens }) =>
        lens.capture({ prompt: [prompt, "Once"] as unknown as string, layers: [10] }),
      ),
  },
  {
    what: "S11",
    recorded: "`cap_stream`",
    wrong: "a stream has no capture",
    run: () =>
      outcome("dis_cap", ({ lens }) =>
        lens.capture({ prompt, layers: [10], ...({ stream: true } as object) }),
      ),
  },
  {
    what: "S7",
    recorded: "`steer_3d_pos0`, `chunk_steer3d_*`",
    wrong:
      "positions count from the start of each pass: index 0 is steered at every generated token, index 70 nowhere",
    run: async () => {
      const { lens } = await vllmAt(answering("cap_L2_max4"), known);
      const steering = [steeringVector({ rows: { 2: row }, positions: [0] })];
      const { checks } = await lens.capture({ prompt, layers: [2], max_tokens: 4, steering });
      const found = checks.find(({ code }) => code === "steering_positions");
      return `check \`${found?.code}\`: ${found?.status}; refused where the self-test found it; \`verify: true\` measures it`;
    },
  },
  {
    what: "S12",
    recorded: "seen live, three times",
    wrong: "a plain request reads what a steered one left in the prefix cache",
    run: async () => {
      const { lens, completions } = await vllmAt(answering("cap_L2_max4"), known);
      const steering = [steeringVector({ rows: { 2: row } })];
      for (const _ of [1, 2]) await lens.generate({ prompt, max_tokens: 4, steering });
      const salts = completions().map(({ body }) => (body as { cache_salt?: string }).cache_salt);
      const own = new Set(salts).size === 2 && salts.every((salt) => (salt ?? "").length >= 16);
      return own ? "each steered request has a `cache_salt` of its own" : `cache_salt: ${salts.join(", ")}`;
    },
  },
  {
    what: "500",
    recorded: "`steer_bad_layer_neg` and others",
    wrong: "the server closes the connection behind a 500, unannounced; the next request on it fails",
    run: async () => {
      const answers = [
        { status: 500, body: { error: { message: "x" } }, hangUp: true },
        recorded("cap_L2_max4"),
      ];
      const { lens, completions } = await vllmAt(({ path }) =>
        path === "/v1/completions" ? answers.shift() : undefined,
      );
      const ask = () => codeOf(lens.capture({ prompt, layers: [2], max_tokens: 4 }));
      const codes = [await ask(), await ask()];
      return `\`${codes[0]}\`, and the next request is ${codes[1]}, sent ${completions().length - 1} time`;
    },
  },
  {
    what: "NaN",
    recorded: "`nan_1_NaN`",
    wrong: "a scale of NaN: the rows are NaN",
    run: async () => {
      const made = await codeOf(
        (async () => Promise.resolve(steeringVector({ rows: { 10: row }, scale: Number.NaN })))(),
      );
      const came = await outcome("nan_1_NaN", ({ lens }) =>
        lens.capture({ prompt, layers: [10], max_tokens: 8 }),
      );
      return `${came}; such a vector cannot be made: \`${made}\``;
    },
  },
  {
    what: "NaN",
    recorded: "`nan_2_after_NaN_*`",
    wrong: "later requests of anybody: token 0 each time, text empty, 200",
    run: () => outcome("nan_2_after_NaN_0", ({ lens }) => lens.generate({ prompt, max_tokens: 8 })),
  },
  {
    what: "NaN",
    recorded: "`nan_3_after_NaN_logprobs`",
    wrong: "the same with log probabilities: a 400 that blames JSON",
    run: () => outcome("nan_3_after_NaN_logprobs", ({ lens }) => lens.capture({ prompt, layers: [10] })),
  },
  {
    what: "preemption",
    recorded: "`preempted`",
    wrong: "the rows from 112 on are those from 0 once more; their number is right",
    run: () => {
      const { request } = exchange("preempted");
      return outcome("preempted", ({ lens }) => lens.capture({ ...request, layers: [20] }));
    },
  },
  {
    what: "request ids",
    recorded: "seen live: the same `request_id` twice at once",
    wrong: "the other request is steered as well",
    run: () =>
      outcome("cap_L2_max4", ({ lens }) =>
        lens.generate({ prompt, max_tokens: 4, ...({ request_id: "x" } as object) }),
      ),
  },
  {
    what: "plugin off",
    recorded: "`dis_cap`, `dis_collect`",
    wrong: "no capture under a 200",
    run: () => outcome("dis_cap", ({ lens }) => lens.capture({ prompt, layers: [0], max_tokens: 4 })),
  },
  {
    what: "beam search",
    recorded: "`cap_beam`",
    wrong: "no capture, and no steering",
    run: () =>
      outcome("dis_cap", ({ lens }) =>
        lens.capture({ prompt, layers: [0], ...({ use_beam_search: true } as object) }),
      ),
  },
  {
    what: "echo",
    recorded: "`comp_echo_token_ids`",
    wrong: "echo beside `return_token_ids`: the prompt is not in the text",
    run: () =>
      outcome("cap_L2_max4", ({ lens }) =>
        lens.generate({ prompt, max_tokens: 4, echo: true, return_token_ids: true }),
      ),
  },
  {
    what: "vocabulary",
    recorded: "`err_token_id_49152`",
    wrong: "a token id that there is not: the whole server ends",
    run: () =>
      outcome("cap_L2_max4", ({ lens }) => lens.capture({ prompt: [...ids, 49152], layers: [2] }), known),
  },
];

/** The cells of a line of the table in docs/verification.md. */
export async function tableRow({ what, recorded: where, wrong, run }: SilentFault): Promise<string[]> {
  return [what, where, wrong, await run()];
}
