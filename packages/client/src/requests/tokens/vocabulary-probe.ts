import type { ClientCore } from "../../client-core.ts";
import type { RequestOptions } from "../../client-types.ts";
import type { Vocabulary } from "../rules/request-facts.ts";
import { APIAbortError, APIError } from "../../transport/api-error.ts";

export type VocabularyProbe = (
  model: string | undefined,
  id: number,
  options: RequestOptions,
) => Promise<Vocabulary | undefined>;

/**
 * Asks a vLLM server, whose catalogue does not state its vocabulary, whether it knows a token id. POST /detokenize gives an
 * empty text for an id that the vocabulary lacks; the id is sent twice, since some tokens are nothing at the start of a text.
 * What was learnt is kept, so that a smaller id costs no question.
 */
export function makeVocabularyProbe(core: Pick<ClientCore, "send">): VocabularyProbe {
  const learnt = new Map<string, Vocabulary>();
  const asking = new Map<string, Promise<Vocabulary | undefined>>();

  async function ask(
    model: string | undefined,
    id: number,
    options: RequestOptions,
  ): Promise<boolean | undefined> {
    const body = { tokens: [id, id], ...(model !== undefined && { model }) };
    const call = { method: "POST", path: "/detokenize", root: true, repeatable: true, body } as const;
    try {
      const answer = await core.send(call, options);
      const { prompt } = Object(answer.body) as { prompt?: unknown };
      return typeof prompt === "string" ? prompt !== "" : undefined;
    } catch (error) {
      if (options.signal?.aborted) throw new APIAbortError();
      // Some servers say it outright.
      if (error instanceof APIError && error.status === 400) return false;
      return undefined;
    }
  }

  async function learn(key: string, ...question: Parameters<typeof ask>): Promise<Vocabulary | undefined> {
    const known = await ask(...question);
    if (known === undefined) return learnt.get(key);
    const [, id] = question;
    const { least, most } = learnt.get(key) ?? { least: 0, most: Infinity };
    const now = known ? { least: Math.max(least, id + 1), most } : { least, most: Math.min(most, id) };
    learnt.set(key, now);
    return now;
  }

  return (model, id, options) => {
    const key = model ?? "";
    const known = learnt.get(key);
    if (known !== undefined && (id < known.least || id >= known.most)) return Promise.resolve(known);
    const question = `${id} ${key}`;
    let answer = asking.get(question);
    if (answer === undefined) {
      answer = learn(key, model, id, options).finally(() => asking.delete(question));
      asking.set(question, answer);
    }
    return answer;
  };
}
