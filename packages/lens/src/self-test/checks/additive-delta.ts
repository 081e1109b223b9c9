import { inconclusive, judge } from "../findings.ts";
import { factorOf, largest, median, short, shownError } from "../row-numbers.ts";
import type { SelfTestCheck } from "../self-test-check.ts";
import { tolerances } from "../tolerances.ts";

/** S4. */
export const additiveDelta: SelfTestCheck = {
  code: "S4",
  title: "a steering vector is added, once, at every position",
  means: {
    pass: "steering changes the stream by scale × vector, at generated tokens too",
    fail: "steering does not do what it says: no result of it can be trusted",
  },
  decides: [],
  requests: 1,
  async run({ capture, plain, withVector, directions, vector, text, steered, goOn, salt }) {
    const [direction = new Float32Array()] = await directions();
    const before = (await plain()).of(steered);
    const changes = (await withVector())
      .of(steered)
      .map((row, p) => row.map((x, i) => x - (before[p]?.[i] ?? 0)));
    const worst = largest(changes.map((change) => shownError(change, direction)));
    const factor = median(changes.map((change) => factorOf(change, direction)));
    const prompt = judge(
      worst <= tolerances.delta,
      `at the prompt's ${changes.length} positions the stream moved by ${short(factor)} × the vector, at worst ${short(worst)} of its length off`,
      { worstError: short(worst), factor: short(factor) },
    );
    const scale = 3;
    const { promptTokens, ...long } = await capture({
      prompt: text,
      layers: [steered],
      steering: [await vector(0, { scale })],
      maxTokens: 8,
      cacheSalt: salt(),
      fields: goOn,
    });
    const held = long
      .of(steered)
      .slice(promptTokens)
      .map((row) => factorOf(row, direction) / scale);
    if (held.length === 0)
      return [prompt, inconclusive("the model ended at once, so generated tokens were not seen")];
    const least = Math.min(...held);
    return [
      prompt,
      judge(
        median(held) >= tolerances.holds &&
          held.filter((share) => share < tolerances.holds).length <= held.length / 4,
        `${held.length} generated tokens hold ${short(median(held))} × the vector (least ${short(least)})`,
        { generatedFactor: short(median(held)), generatedLeast: short(least) },
      ),
    ];
  },
};
