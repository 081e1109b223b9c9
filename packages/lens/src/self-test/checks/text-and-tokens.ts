import { inconclusive, judge } from "../findings.ts";
import { largest, relativeError, short } from "../row-numbers.ts";
import type { Finding, SelfTestCheck } from "../self-test-check.ts";
import { tolerances } from "../tolerances.ts";

/** S17. */
export const textAndTokens: SelfTestCheck = {
  code: "S17",
  title: "a text and its token ids give the same rows",
  means: {
    pass: "the token ids that are told are those that ran, with one BOS at most",
    fail: "rows are shifted against the tokens: send token ids, or add_special_tokens: false",
  },
  decides: [],
  requests: 1,
  async run({ capture, plain, text, tokens, steered }) {
    const reference = await plain();
    if (tokens === undefined) return [inconclusive("the server does not tell the ids of a text's tokens")];
    const doubled = tokens.length > 1 && tokens[0] === tokens[1];
    const findings: Finding[] = [
      judge(
        !doubled,
        doubled
          ? `the text "${text.slice(0, 12)}…" begins with token ${tokens[0]} twice`
          : "no token is doubled at the beginning",
        {
          promptTokens: tokens.length,
        },
      ),
    ];
    const sent = await capture({ prompt: tokens, layers: [steered] });
    if (sent.positions !== reference.positions)
      return [
        ...findings,
        judge(false, `the text ran as ${reference.positions} tokens, and ${sent.positions} ids were told`),
      ];
    const worst = largest(
      sent.of(steered).map((row, p) => relativeError(row, reference.of(steered)[p] ?? row)),
    );
    return [
      ...findings,
      judge(worst <= tolerances.sameRow, `their rows differ by at most ${short(worst)}`, {
        worstError: short(worst),
      }),
    ];
  },
};
