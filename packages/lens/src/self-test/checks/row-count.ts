import { judge } from "../findings.ts";
import type { Finding, SelfTestCheck } from "../self-test-check.ts";

/** S2. A capture whose rows are not prompt + generated − 1 is an error before this compares anything. */
export const rowCount: SelfTestCheck = {
  code: "S2",
  title: "one row for each token that ran",
  means: {
    pass: "row p belongs to token p, in prompts that were sent before too",
    fail: "rows cannot be matched with tokens: do not use captures of this server",
  },
  decides: [],
  requests: 5,
  async run({ capture, plain, text, steered, freshTokens, longPrompt }) {
    const layers = [steered];
    const first = await plain();
    const few = await capture({ prompt: text, layers, maxTokens: 5 });
    const many = await capture({ prompt: text, layers, maxTokens: 16 });
    const captures = [first, few, many];
    const stop = many.completion.choices[0]?.text.trim().split(/\s+/)[2];
    if (stop) captures.push(await capture({ prompt: text, layers, maxTokens: 16, fields: { stop } }));
    const long = freshTokens(longPrompt);
    for (let i = 0; long.length > 0 && i < 2; i++) captures.push(await capture({ prompt: long, layers }));
    const counts = captures.map(({ positions }) => positions);
    const twice = captures.flatMap((rows) => repeated(rows.of(steered)));
    const [again] = twice;
    const findings: Finding[] = [
      judge(true, `${counts.join(", ")} rows are prompt + generated − 1 each time`, { rows: counts }),
      judge(
        again === undefined,
        again === undefined
          ? "no row comes twice"
          : `${twice.length} rows come twice: row ${again.later} is row ${again.first} once more`,
        { repeatedRows: twice.length },
      ),
    ];
    return findings;
  },
};

/** Rows that are an earlier row, bit by bit: another position never gives that. */
function repeated(rows: readonly Float32Array[]): { first: number; later: number }[] {
  return rows.flatMap((row, later) => {
    const first = rows.findIndex((other, p) => p < later && row.every((value, i) => value === other[i]));
    return first < 0 ? [] : [{ first, later }];
  });
}
