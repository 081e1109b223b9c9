import { prepareCompletion } from "../generate/prepare-completion.ts";
import { withChecks } from "../generate/with-checks.ts";
import type { LensCore } from "../lens-core.ts";
import type { LensOptions, SteeredCompletion } from "../lens-types.ts";
import type { AnyGenerate } from "../requests/lens-request.ts";
import { verifyNotPoisoned } from "../verify/nan-poisoning.ts";
import { type ListRequest, shapeOfList } from "./expand-request.ts";
import type { GenerateOutcome, ManyOptions, ManyRun } from "./fan-out-types.ts";
import { mergeCompletions } from "./merge-completions.ts";
import { proveOnce } from "./prove-once.ts";
import { runMany } from "./run-many.ts";

/** Samples each choice of each prompt by a request of its own. */
export function generateMany(
  core: LensCore,
  requests: object,
  options: ManyOptions = {},
): ManyRun<GenerateOutcome> {
  const prove = proveOnce(core);
  return runMany(core, requests, options, {
    temperature: undefined,
    async prepare({ request, prompt }, each) {
      const { body, checks } = await prepareCompletion(core, request as AnyGenerate, each);
      const proven = await prove(request as AnyGenerate, prompt, each);
      return {
        body,
        read(completion) {
          verifyNotPoisoned(body, completion);
          return { completion: withChecks(completion, [...checks, ...proven]) };
        },
      };
    },
  });
}

/** The same as one completion, whose choices say their seeds. Throws what the first that fails throws; the others end. */
export async function generateAll(
  core: LensCore,
  request: ListRequest,
  { signal }: LensOptions = {},
): Promise<SteeredCompletion> {
  const { prompts, n } = shapeOfList(request);
  const run = generateMany(core, request, signal ? { signal } : {});
  const answered: { completion: SteeredCompletion; seed: number | undefined }[] = [];
  for await (const outcome of run) {
    if (outcome.error) throw outcome.error;
    answered.push(outcome);
  }
  const merged = mergeCompletions(answered, { prompts: prompts.length, n, usage: run.usage });
  // What was checked of all alike is said once.
  const checks = new Map(
    answered.flatMap(({ completion }) => completion.checks).map((check) => [JSON.stringify(check), check]),
  );
  return withChecks(merged, [...checks.values()]);
}
