import type { Choice } from "@residua/client";
import { firstToken, logprobDistance } from "../first-token.ts";
import { judge } from "../findings.ts";
import type { Finding, SelfTestCheck } from "../self-test-check.ts";
import type { SelfTestContext } from "../self-test-context.ts";

const fields = { logprobs: 5, temperature: 1, seed: 7 };

/** S10. */
export const severalChoices: SelfTestCheck = {
  code: "S10",
  title: "capture and steering with n = 2, and with two prompts",
  means: {
    pass: "no choice and no prompt is left unsteered or uncaptured in silence",
    fail: "with n above 1 or several prompts some are left out under a 200; lens sends one request for each",
  },
  decides: ["choices", "prompts"],
  requests: 5,
  usesCaptures: true,
  async run(context) {
    const { wrong, text, steered, vector, salt, freshText } = context;
    const ask = { layers: [steered], steering: [await vector(0, { scale: 3 })], fields };
    const choices = await wrong({ ...ask, prompt: text, cacheSalt: salt() }, { n: 2 });
    const prompts = await wrong({ ...ask, prompt: text, cacheSalt: salt() }, { prompt: [text, freshText()] });
    return [
      choices.refused
        ? judge(true, `n = 2: refused with ${choices.refused.status}`, {}, { choices: "refused" })
        : await compareChoices(context, choices.body),
      prompts.refused
        ? judge(true, `two prompts: refused with ${prompts.refused.status}`, {}, { prompts: "refused" })
        : comparePrompts(context, prompts.body),
    ];
  },
};

/** Whether the choices of one prompt are steered: by their likeliest first tokens, beside those of single requests. */
async function compareChoices(context: SelfTestContext, body: unknown): Promise<Finding> {
  const { complete, shapeOf, text, vector, salt } = context;
  const plain = firstToken((await complete({ prompt: text, fields })).choices[0]);
  const steering = [await vector(0, { scale: 3 })];
  const steered = firstToken(
    (await complete({ prompt: text, steering, fields, cacheSalt: salt() })).choices[0],
  );
  const acting = choicesOf(body).filter((choice) => {
    const [from, to] = [plain, steered].map((one) => logprobDistance(firstToken(choice), one));
    return from !== undefined && to !== undefined && to < from;
  }).length;
  const captured = shapeOf(body) !== undefined;
  return judge(
    captured && acting === 2,
    `n = 2: 200, ${captured ? "one capture" : "no capture"}, ${acting} of 2 choices steered`,
    { steeredChoices: acting, choicesCaptured: captured },
    { choices: captured && acting === 2 ? "taken" : "dropped" },
  );
}

/** The wire has room for one capture: of two prompts, one is without. */
function comparePrompts({ shapeOf }: SelfTestContext, body: unknown): Finding {
  const rows = shapeOf(body)?.[1];
  return judge(
    false,
    `two prompts: 200, ${rows === undefined ? "no capture" : `one capture, of ${rows} rows`}`,
    { promptsCaptured: rows === undefined ? 0 : 1 },
    { prompts: rows === undefined ? "none" : "first" },
  );
}

const choicesOf = (body: unknown): Choice[] => (body as { choices?: Choice[] }).choices ?? [];
