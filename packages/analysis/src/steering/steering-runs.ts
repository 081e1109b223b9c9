import { steeringVector } from "@residua/lens";
import type { Lens } from "@residua/lens";
import { textLogProbability } from "./perplexity.ts";
import type { TextLogProbability } from "./perplexity.ts";
import { readAnswer } from "./steering-answer.ts";
import type { SteeringAnswer } from "./steering-answer.ts";
import type { SteeringPrompt, SteeringSettings } from "./steering-options.ts";
import { steeringPool } from "./steering-pool.ts";
import { steeringTwins } from "./steering-twins.ts";
import { directionNorm } from "../probes/direction.ts";

/** How many of the likeliest next tokens are read. */
const topLogprobs = 20;

/** All answers and texts of one vector at one scale. */
export interface SteeringRun {
  answers: SteeringAnswer[];
  texts: TextLogProbability[];
}

export interface SteeringRuns {
  /** The checkpoint that answered. */
  model: string;
  /** Scale 0: the first is the baseline, the rest repeat it. */
  baselines: SteeringRun[];
  /** By scale, without 0. */
  steered: Map<number, SteeringRun>;
  /** By scale, each twin's answers to the prompts of `twinPrompts` (indices into the prompts). */
  twins: Map<number, SteeringAnswer[][]>;
  twinPrompts: number[];
}

interface Task {
  scale: number;
  vector: Float32Array;
  prompt: string | number[];
  /** What is read: an answer with or without its log probabilities, or the text's own log probability. */
  read: "answer" | "choice" | "text";
}

/** Sends every request of the experiment through one bounded pool; scale 0 takes the same path as the others. */
export async function steeringRuns(
  lens: Pick<Lens, "generate">,
  settings: SteeringSettings,
): Promise<SteeringRuns> {
  const { direction, prompts, neutral, scales } = settings;
  const nonzero = scales.filter((scale) => scale !== 0);
  const runScales = [...new Array<number>(1 + settings.baselineRepeats).fill(0), ...nonzero];
  const twinPrompts = spread(prompts.length, settings.twinPrompts);
  const twins = steeringTwins({
    width: direction.vector.length,
    norm: directionNorm(direction.vector),
    count: settings.twins,
    seed: settings.seed,
  });
  const { vector } = direction;
  const tasks: Task[] = [
    ...runScales.flatMap((scale) => [
      ...prompts.map(({ prompt }): Task => ({ scale, vector, prompt, read: "answer" })),
      ...neutral.map((prompt): Task => ({ scale, vector, prompt, read: "text" })),
    ]),
    ...settings.twinScales.flatMap((scale) =>
      twins.flatMap((twin) => twinPrompts.map((i) => choiceTask(scale, twin, prompts[i]!))),
    ),
  ];
  let done = 0;
  let model = settings.model ?? "";
  const results = await steeringPool(tasks, settings, async (task, signal) => {
    const completion = await ask(lens, task, settings, signal);
    model = completion.model;
    settings.onProgress?.({ done: ++done, total: tasks.length });
    return task.read === "text" ? textLogProbability(completion) : readAnswer(completion, settings.choices);
  });
  const left = results.values();
  const take = <T>(count: number) => Array.from({ length: count }, () => left.next().value as T);
  const runs = runScales.map((): SteeringRun => ({
    answers: take(prompts.length),
    texts: take(neutral.length),
  }));
  const repeats = 1 + settings.baselineRepeats;
  return {
    model,
    baselines: runs.slice(0, repeats),
    steered: new Map(nonzero.map((scale, i) => [scale, runs[repeats + i]!])),
    twins: new Map(
      settings.twinScales.map((scale) => [scale, twins.map(() => take<SteeringAnswer>(twinPrompts.length))]),
    ),
    twinPrompts,
  };
}

function choiceTask(scale: number, vector: Float32Array, { prompt }: SteeringPrompt): Task {
  return { scale, vector, prompt, read: "choice" };
}

function ask(lens: Pick<Lens, "generate">, task: Task, settings: SteeringSettings, signal: AbortSignal) {
  const steering = [steeringVector({ rows: { [settings.direction.layer]: task.vector }, scale: task.scale })];
  return lens.generate(
    {
      ...(settings.model === undefined ? {} : { model: settings.model }),
      prompt: task.prompt,
      max_tokens: 1,
      temperature: 0,
      ...(task.read === "answer" ? { logprobs: topLogprobs } : {}),
      ...(task.read === "text" ? { prompt_logprobs: 0 } : {}),
      steering,
    },
    { signal },
  );
}

/** `wanted` of `total` indices, evenly spread. */
function spread(total: number, wanted: number): number[] {
  const count = Math.min(total, wanted);
  return Array.from({ length: count }, (_, i) => Math.floor((i * total) / count));
}
