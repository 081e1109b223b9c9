import type { Completion } from "@residua/lens";
import { isLoop, loopScore, type LoopScore } from "./damage/loop-score.ts";
import {
  neutralMove,
  ownTokens,
  readNeutralText,
  type NeutralMove,
  type NeutralText,
} from "./neutral/neutral-text.ts";
import { textLogProbability, type TextLogProbability } from "./neutral/perplexity.ts";
import { readAnswer, type SteeringAnswer } from "./steering-answer.ts";
import type { CommonSettings, SteeringLens } from "./steering-common.ts";
import { steeringPool } from "./steering-pool.ts";
import { rowsVector, type SteeringRows } from "./steering-rows.ts";

/** How many of the likeliest next tokens are read after a prompt. */
const topLogprobs = 20;

/** One vector at one scale, and what is asked under it. */
export interface SteeringCondition {
  rows: SteeringRows;
  scale: number;
  /** Numbers of the prompts that are asked. */
  prompts: readonly number[];
  /** Whether the neutral texts are read, and the generated texts for loops. */
  damage: boolean;
  /** Whether the likeliest tokens are read beside the answers. */
  logprobs: boolean;
}

/** A generated text as it was scored. */
interface SteeredText {
  loops: LoopScore;
  looping: boolean;
  /** One a scorer, in their order. */
  scores: (number | null)[];
}

/** What a condition gave, in the order of its prompts and of the neutral texts. */
export interface SteeringRun {
  answers: SteeringAnswer[];
  texts: SteeredText[];
  neutral: (TextLogProbability & Partial<NeutralMove>)[];
}

/** Sends what conditions ask through one bounded pool each time. */
export interface SteeringRuns {
  /** Makes the first condition's neutral texts what later ones are compared with. */
  run(conditions: readonly SteeringCondition[]): Promise<SteeringRun[]>;
  /** The checkpoint that answered; empty before anything was asked. */
  model(): string;
  /** The baseline's neutral texts, where their distributions are read. */
  baselineTexts(): readonly NeutralText[];
}

type Task =
  | { read: "answer" | "text"; condition: SteeringCondition; prompt: number }
  | { read: "neutral"; condition: SteeringCondition; neutral: number };
type Reading = SteeringAnswer | SteeredText | SteeringRun["neutral"][number];

export interface RunSettings extends CommonSettings {
  /** Likeliest tokens of each neutral position, −1 for all, 0 for the text's own alone. */
  neutralCount: number;
  /** How many requests the experiment will come to, for progress. */
  total?: number;
}

export function steeringRuns(lens: SteeringLens, settings: RunSettings): SteeringRuns {
  const { prompts, neutral, neutralCount, choices, target, scorers } = settings;
  const generation =
    settings.generation ?? (scorers.length > 0 ? { maxTokens: 32, temperature: 0 } : undefined);
  const reads = tasksOf({
    answers: choices !== undefined || target !== undefined,
    texts: ({ damage }) => generation !== undefined && (damage || scorers.length > 0),
  });
  const before: NeutralText[] = [];
  let own: number[][] = [];
  let model = settings.model ?? "";
  let done = 0;

  async function ask(
    condition: SteeringCondition,
    fields: object,
    prompt: string | number[],
    signal: AbortSignal,
  ) {
    const completion: Completion = await lens.generate(
      {
        ...(settings.model === undefined ? {} : { model: settings.model }),
        prompt,
        max_tokens: 1,
        temperature: 0,
        ...fields,
        steering: [rowsVector(condition.rows, condition.scale)],
      },
      { signal },
    );
    model = completion.model;
    settings.onProgress?.({ done: ++done, total: Math.max(settings.total ?? 0, done) });
    return completion;
  }

  async function read(task: Task, signal: AbortSignal): Promise<Reading> {
    const { condition } = task;
    if (task.read === "neutral") {
      const text = neutral[task.neutral]!;
      const completion = await ask(condition, { prompt_logprobs: neutralCount }, text, signal);
      if (neutralCount === 0) return textLogProbability(completion);
      const now = readNeutralText(completion, own[task.neutral]!, neutralCount);
      const first = (before[task.neutral] ??= now);
      return neutralMove(now, first);
    }
    const { prompt } = prompts[task.prompt]!;
    if (task.read === "answer") {
      const fields = condition.logprobs ? { logprobs: topLogprobs } : {};
      return readAnswer(await ask(condition, fields, prompt, signal), choices);
    }
    const { maxTokens, temperature } = generation!;
    const seed = temperature > 0 ? { seed: settings.seed + task.prompt } : {};
    const fields = { max_tokens: maxTokens, temperature, logprobs: 1, ...seed };
    const [choice] = (await ask(condition, fields, prompt, signal)).choices;
    const text = choice?.text ?? "";
    const loops = loopScore(
      text,
      choice?.logprobs?.tokens ?? text.split(/\s+/).filter((word) => word !== ""),
    );
    const scores: (number | null)[] = [];
    for (const scorer of scorers)
      scores.push(await scorer.score({ prompt, text, index: task.prompt }, { signal }));
    return { loops, looping: isLoop(loops), scores };
  }

  return {
    model: () => model,
    baselineTexts: () => before,
    async run(conditions) {
      if (own.length === 0 && neutralCount !== 0) {
        const [condition] = conditions;
        own = await steeringPool(neutral, settings, async (text, signal) =>
          ownTokens(await ask(condition!, { prompt_logprobs: 0 }, text, signal)),
        );
      }
      const tasks = conditions.flatMap((condition) => reads(condition, neutral.length));
      const left = (await steeringPool(tasks, settings, read)).values();
      const take = <T>(kind: Task["read"], condition: SteeringCondition) =>
        reads(condition, neutral.length)
          .filter((task) => task.read === kind)
          .map(() => left.next().value as T);
      return conditions.map((condition) => ({
        answers: take<SteeringAnswer>("answer", condition),
        texts: take<SteeredText>("text", condition),
        neutral: take<SteeringRun["neutral"][number]>("neutral", condition),
      }));
    },
  };
}

/** What a condition asks, in the order in which its run gives it. */
function tasksOf(wanted: { answers: boolean; texts: (condition: SteeringCondition) => boolean }) {
  return (condition: SteeringCondition, texts: number): Task[] => {
    const { prompts, damage } = condition;
    const of = (read: "answer" | "text") => prompts.map((prompt): Task => ({ read, condition, prompt }));
    return [
      ...(wanted.answers ? of("answer") : []),
      ...(wanted.texts(condition) ? of("text") : []),
      ...(damage
        ? Array.from({ length: texts }, (_, neutral): Task => ({ read: "neutral", condition, neutral }))
        : []),
    ];
  };
}

/** `wanted` of `total` indices, evenly spread. */
export function spread(total: number, wanted: number): number[] {
  const count = Math.min(total, wanted);
  return Array.from({ length: count }, (_, i) => Math.floor((i * total) / count));
}
