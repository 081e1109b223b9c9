import type { EncodedChat } from "@residua/lens";
import { fileError } from "../../dataset/dataset-error.ts";
import type { ActivationDataset } from "../../dataset/dataset-open.ts";
import type { CheckedExample, Example } from "../../examples/example.ts";
import { lockFolder } from "../../files/file-lock.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { collectedFields } from "../collected-fields.ts";
import type { CollectFailure } from "../collect-failure.ts";
import { makeCollection, type Collection } from "../collection.ts";
import { openIfDone, runLocked } from "../collect.ts";
import { agreedTemplate } from "../chat-template.ts";
import { collectionGoesOn } from "../collection-goes-on.ts";
import type { Plan, PlannedExample } from "../dataset-plan.ts";
import { encodeExample } from "../encode-example.ts";
import { checkRolloutExamples } from "./check-rollout-examples.ts";
import { gradeRollout } from "./grade-rollout.ts";
import { takeMisfits, takeMixedGrades } from "./mixed-grades.ts";
import { rolloutExamples } from "./rollout-examples.ts";
import { RolloutJournal } from "./rollout-journal.ts";
import { checkRolloutOptions, type RolloutOptions, type RolloutSettings } from "./rollout-options.ts";
import { planRollouts, rolloutFacts, type PlannedRollout } from "./rollout-plan.ts";
import type { Sample } from "./rollout.ts";
import { runStage } from "./run-stage.ts";
import { sampleRollout, type RolloutLens } from "./sample-rollout.ts";

/**
 * Samples `n` completions of each example, grades each by a function, and captures each by the same token ids: those of its prompt and
 * those that were generated, sent together as ids, never decoded and tokenised again. The generated tokens' rows have the role
 * `generated`; the last one has a row too, since it is part of what is sent now. Each rollout is an example of its own (`id#0`,
 * `id#1`, …) in the group of its prompt, with the labels of its grade, and the columns `source`, `rollout`, `seed`, `finish_reason`.
 *
 * Samples and grades are kept in `rollouts.jsonl` as they come: a run that was stopped or killed neither samples nor grades again.
 * Failures are recorded and tried again as by `collect`.
 *
 * Throws what `collect` throws, and DatasetError `token_ids_unknown` where the server does not tell the ids of its tokens.
 */
export async function collectRollouts(
  lens: RolloutLens,
  examples: readonly Example[],
  options: RolloutOptions,
): Promise<ActivationDataset> {
  const settings = checkRolloutOptions(options);
  const checked = checkRolloutExamples(examples);
  const { to, reuse } = settings.collect;
  const { onProgress } = settings.rollouts;
  const captureSettings = {
    ...settings.collect,
    ...(onProgress && {
      onProgress: (progress: object) => onProgress({ stage: "capture", ...progress } as never),
    }),
  };
  const made = await makeCollection(lens, { ...checked, examples: [] }, captureSettings);
  const from = rolloutFacts(checked.examples, settings);
  const bare = {
    ...made,
    planOf: (some: readonly PlannedExample[]): Plan => ({ ...made.planOf(some), rollouts: from }),
  };
  const { model, plan, server } = bare;
  const rollouts = planRollouts(checked.examples, settings, {
    model,
    checkpoint: plan.checkpoint,
    server: server?.hash ?? null,
  });
  // What is asked for, whatever comes of it.
  const asked = bare.planOf(rolloutExamples(rollouts, { samples: new Map(), grades: new Map() }).examples);
  const there = await openIfDone({ ...bare, plan: asked });
  if (there !== undefined) return there;
  await makeFolder(to).catch((error: unknown) => {
    throw fileError(error, to, "write");
  });
  const lock = await lockFolder(to);
  try {
    const journal = await RolloutJournal.open(to, reuse);
    try {
      const given = await sampleAndGrade(lens, { rollouts, settings, model, journal });
      return await runLocked(captured(bare, { rollouts, journal, given, path: to }));
    } finally {
      await journal.close();
    }
  } catch (error) {
    throw collectionGoesOn(error, "the samples, grades and finished shards");
  } finally {
    await lock.release();
  }
}

interface Stages {
  rollouts: readonly PlannedRollout[];
  settings: RolloutSettings;
  model: string;
  journal: RolloutJournal;
}

/** Returns what failed, by the rollout's place. */
async function sampleAndGrade(
  lens: RolloutLens,
  { rollouts, settings, model, journal }: Stages,
): Promise<Map<number, CollectFailure>> {
  const { gradeVersion } = settings.rollouts;
  const { bosTokenId } = await lens.describe(model);
  const chats = new Map<CheckedExample, Promise<EncodedChat>>();
  const chatOf = (example: CheckedExample): Promise<EncodedChat> | undefined => {
    if (example.messages === null) return undefined;
    const chat =
      chats.get(example) ?? encodeExample(lens, example.messages, { model, settings: settings.collect });
    chats.set(example, chat);
    return chat;
  };
  const unsampled = await runStage({
    stage: "sample",
    rollouts,
    settings,
    isDone: ({ key }) => journal.samples.has(key),
    async work(rollout) {
      const chat = await chatOf(rollout.example);
      await journal.addSample(
        await sampleRollout(lens, rollout, { settings, model, chat, bosTokenId: bosTokenId.value }),
      );
    },
  });
  await journal.sync();
  const extra = [...new Set(rollouts.flatMap(({ example }) => Object.keys(example.extra)))];
  // What an earlier run graded in a mixed way, or so that it does not fit these examples, is graded again.
  takeMisfits(rollouts, journal.grades, extra);
  takeMixedGrades(rollouts, journal.grades);
  const ungraded = await runStage({
    stage: "grade",
    rollouts,
    settings,
    isDone: ({ key, gradeKey }) => journal.grades.has(gradeKey) || !journal.samples.has(key),
    async work(rollout) {
      const sample = journal.samples.get(rollout.key) as Sample;
      const grade = await gradeRollout(rollout, sample, settings, extra);
      await journal.addGrade(rollout.gradeKey, gradeVersion, grade);
    },
  });
  await journal.sync();
  return new Map([...unsampled, ...ungraded, ...takeMixedGrades(rollouts, journal.grades)]);
}

/** The collection of the rollouts that were sampled and graded. */
function captured(
  bare: Collection,
  {
    rollouts,
    journal,
    given,
    path,
  }: Pick<Stages, "rollouts" | "journal"> & { given: ReadonlyMap<number, CollectFailure>; path: string },
): Collection {
  const checked = rolloutExamples(rollouts, journal);
  const templates = rollouts.flatMap(({ id, key }) => {
    const template = journal.samples.get(key)?.template;
    return template ? [{ id, template }] : [];
  });
  const chatTemplate = agreedTemplate(path, templates, bare.settings.chat.chat_template_kwargs);
  return {
    ...bare,
    columns: collectedFields(checked),
    examples: checked.examples,
    plan: bare.planOf(checked.examples),
    given,
    began: new Date().toISOString(),
    prepare: async (...asked) => ({ ...(await bare.prepare(...asked)), chatTemplate }),
  };
}
