import { cacheHits } from "../cache-hits.ts";
import { firstToken, logprobDistance } from "../first-token.ts";
import { inconclusive, judge, notApplicable } from "../findings.ts";
import { short } from "../row-numbers.ts";
import type { Finding, SelfTestCheck } from "../self-test-check.ts";
import type { SelfTestContext } from "../self-test-context.ts";
import { tolerances } from "../tolerances.ts";

/** S12. Each part has a prompt of its own that nobody else sends, so what it leaves in the cache reaches nobody. */
export const cacheIsolation: SelfTestCheck = {
  code: "S12",
  title: "steering leaves nothing in the prefix cache",
  means: {
    pass: "a plain request is plain, whatever was steered before",
    fail: "a plain request may read what a steered one of the same prompt left: give steered ones a salt of their own",
  },
  decides: ["prefixCache", "cacheSalt"],
  requests: 19,
  usesCaptures: true,
  async run(context) {
    if (context.freshTokens(1).length === 0)
      return [inconclusive("token ids are not told, so no long prompt was made")];
    const control = await afterwards(context, undefined);
    if (control === undefined) return [inconclusive("the server tells no log probabilities")];
    const noise = Math.max(tolerances.logprob, 4 * control.distance);
    const bare = (await afterwards(context, {})) ?? control;
    const isolated = bare.distance <= noise;
    const findings: Finding[] = [
      bare.hits === 0 && control.hits === 0
        ? notApplicable("no prompt was read from a prefix cache")
        : judge(
            isolated,
            `after a steered request the same prompt's first log probabilities are ${short(bare.distance)} off (${short(control.distance)} after a plain one${bare.hits === undefined ? "" : `; ${bare.hits} tokens from the cache`})`,
            {
              distance: short(bare.distance),
              control: short(control.distance),
              ...(bare.hits !== undefined && { hits: bare.hits }),
            },
            { prefixCache: isolated ? "isolated" : "contaminated" },
          ),
    ];
    if (!context.core.profile.cacheSalt) return findings;
    const salted = (await afterwards(context, { cacheSalt: context.salt() })) ?? control;
    const isolates = salted.distance <= noise;
    findings.push(
      judge(
        isolates,
        `with cache_salt on the steered one ${short(salted.distance)} off`,
        { saltedDistance: short(salted.distance) },
        {
          cacheSalt: isolates ? "isolates" : "does not isolate",
        },
      ),
    );
    return findings;
  },
};

/**
 * A request of a fresh prompt (steered, or plain where `steered` is undefined), then the same prompt plain, beside the same with
 * everything computed anew: by the profile's switch, else by asking for the prompt's log probabilities.
 */
async function afterwards(
  context: SelfTestContext,
  steered: { cacheSalt?: string } | undefined,
): Promise<{ distance: number; hits: number | undefined } | undefined> {
  const { complete, freshTokens, longPrompt, vector, core } = context;
  const prompt = freshTokens(longPrompt);
  await complete(steered ? { prompt, steering: [await vector(0, { scale: 8 })], ...steered } : { prompt });
  const fields = { logprobs: 5 };
  const { completion, hits } = await cacheHits(context, () => complete({ prompt, fields }));
  const anew = await complete({
    prompt,
    skipCache: true,
    fields: core.profile.skipCache ? fields : { ...fields, prompt_logprobs: 0 },
  });
  const distance = logprobDistance(firstToken(completion.choices[0]), firstToken(anew.choices[0]));
  return distance === undefined ? undefined : { distance, hits };
}
