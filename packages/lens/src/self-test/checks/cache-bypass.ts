import { cacheHits } from "../cache-hits.ts";
import { inconclusive, judge, notApplicable } from "../findings.ts";
import type { SelfTestCheck } from "../self-test-check.ts";

/** S13. The counter of vLLM counts everybody's requests: a few tries tell. */
export const cacheBypass: SelfTestCheck = {
  code: "S13",
  title: "the prefix cache can be bypassed",
  means: {
    pass: "a comparison can be computed anew at will",
    fail: "a comparison may read the cache although it asks not to: compare with fresh prompts",
  },
  decides: [],
  requests: 16,
  async run(context) {
    const { complete, core, freshTokens, longPrompt } = context;
    if (!core.profile.skipCache) return [notApplicable("this kind of server has no field for it")];
    const prompt = freshTokens(longPrompt);
    if (prompt.length === 0) return [inconclusive("token ids are not told, so no long prompt was made")];
    await complete({ prompt });
    const again = await cacheHits(context, () => complete({ prompt }));
    if (again.hits === undefined) return [inconclusive("the server does not tell what came from the cache")];
    if (again.hits === 0) return [notApplicable("a prompt that was sent before is not read from a cache")];
    const tries: number[] = [];
    while (tries.length < 3 && !tries.includes(0)) {
      tries.push((await cacheHits(context, () => complete({ prompt, skipCache: true }))).hits ?? 0);
    }
    const least = Math.min(...tries);
    return [
      judge(least === 0, `a repeat read ${again.hits} tokens from the cache, and ${least} with the bypass`, {
        repeatHits: again.hits,
        bypassHits: least,
      }),
    ];
  },
};
