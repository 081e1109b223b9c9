import { inconclusive, judge, notTried } from "../findings.ts";
import { factorOf } from "../row-numbers.ts";
import type { Finding, SelfTestCheck } from "../self-test-check.ts";
import type { SelfTestContext } from "../self-test-context.ts";
import { tolerances } from "../tolerances.ts";

const scale = 3;

/** S7. */
export const positions: SelfTestCheck = {
  code: "S7",
  title: "positions of a vector are absolute",
  means: {
    pass: "a vector for some positions is added at those and at no others",
    fail: "a vector for some positions is added elsewhere too, or not at all; lens refuses those that this server misplaces",
  },
  decides: ["positions", "prefillChunk"],
  requests: 2,
  async run(context) {
    const short = await shortPrompt(context);
    const long = await longPrompt(context);
    const findings = [...short.findings, ...long.findings];
    if (short.perPass || long.prefillChunk !== undefined) {
      const chunk = long.prefillChunk;
      findings.push({
        status: "fail",
        detail: `they count from the start of each pass${chunk === undefined ? "" : `, of ${chunk} prompt tokens`}`,
        behaviour: { positions: "per pass", ...(chunk !== undefined && { prefillChunk: chunk }) },
      });
    } else if (findings.every(({ status }) => status === "pass" || status === "not applicable"))
      findings.push({
        status: "pass",
        detail: "they count from the first token",
        behaviour: { positions: "absolute" },
      });
    return findings;
  },
};

/** Position 0, one within the prompt, and one of a generated token. */
async function shortPrompt(context: SelfTestContext): Promise<{ findings: Finding[]; perPass: boolean }> {
  const { capture, plain, directions, vector, text, steered, goOn, salt } = context;
  const { promptTokens } = await plain();
  const asked = [0, 3, promptTokens + 1];
  const steering = await Promise.all(
    asked.map((position, which) => vector(which, { scale, positions: [position] })),
  );
  const rows = await capture({
    prompt: text,
    layers: [steered],
    steering,
    maxTokens: 8,
    cacheSalt: salt(),
    fields: goOn,
  });
  const got = asked.map((_, which) => places(rows.of(steered), which, directions));
  const [first = [], third = [], late = []] = await Promise.all(got);
  const reached = rows.positions > promptTokens + 1;
  return {
    // In a pass of its own each generated token is the first.
    perPass: first[0] === 0 && first.some((position) => position >= promptTokens),
    findings: [
      judgePlaces(first, 0, "position0"),
      judgePlaces(third, 3, "position3"),
      reached
        ? judgePlaces(late, promptTokens + 1, "generated")
        : inconclusive("the model ended before a generated token was reached"),
    ],
  };
}

/** A prompt that some servers run in several passes. */
async function longPrompt(context: SelfTestContext): Promise<{ findings: Finding[]; prefillChunk?: number }> {
  const { capture, directions, vector, steered, freshTokens, salt } = context;
  const prompt = freshTokens(context.longPrompt);
  if (prompt.length === 0)
    return { findings: [notTried("token ids are not told, so no long prompt was made")] };
  const late = prompt.length - 20;
  const steering = [
    await vector(0, { scale, positions: [10] }),
    await vector(1, { scale, positions: [late] }),
  ];
  const rows = await capture({ prompt, layers: [steered], steering, cacheSalt: salt() });
  const early = await places(rows.of(steered), 0, directions);
  const [one, two] = early;
  return {
    findings: [
      judgePlaces(early, 10, "position10"),
      judgePlaces(await places(rows.of(steered), 1, directions), late, `position${late}`),
    ],
    ...(one === 10 && two !== undefined && { prefillChunk: two - one }),
  };
}

/** Positions whose row holds a direction. */
async function places(
  rows: readonly Float32Array[],
  which: number,
  directions: SelfTestContext["directions"],
): Promise<number[]> {
  const direction = (await directions())[which] ?? new Float32Array();
  return rows.flatMap((row, p) => (factorOf(row, direction) / scale >= tolerances.holds ? [p] : []));
}

function judgePlaces(got: readonly number[], asked: number, name: string): Finding {
  return judge(
    got.length === 1 && got[0] === asked,
    `asked at ${asked}: added at ${got.length === 0 ? "none" : got.join(", ")}`,
    { [name]: got },
  );
}
