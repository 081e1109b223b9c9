import { invalidRequest } from "@residua/engine/api";
import type { ProfileName } from "../profile.ts";
import { ServerError } from "../server-error.ts";
import { noQuirks, type ActiveQuirks } from "./active-quirks.ts";
import { createDraws } from "./draws.ts";
import { actsAt, parseQuirks, type NamedQuirk } from "./parse-quirk.ts";
import type { Generate, QuirkActions, QuirkSetting } from "./quirk.ts";
import { quirkList, type QuirkName } from "./quirk-list.ts";

export const quirkHeader = "x-residua-quirk";

export interface QuirkOptions {
  /** Misbehaviours that all requests meet: NAME, or NAME=p for a part of them. */
  readonly quirks?: readonly string[];
  /** Seed of the draws of NAME=p; default 0. Equal seeds and requests in the same order misbehave alike. */
  readonly quirkSeed?: number;
  /** Let a request choose its quirks by the header X-Residua-Quirk; default false: the header is refused. */
  readonly testMode?: boolean;
}

/**
 * Chooses the quirks of a request from its X-Residua-Quirk header; `exempt`: none, and nothing is drawn. Throws
 * ApiError 400 for a header that is wrong.
 */
export type ChooseQuirks = (header: string | undefined, exempt: boolean) => ActiveQuirks;

/** Throws ServerError `quirk_invalid`. */
export function createQuirks(
  { quirks = [], quirkSeed = 0, testMode = false }: QuirkOptions,
  profile: ProfileName,
  setting: QuirkSetting,
): ChooseQuirks {
  const fail = (problem: string) => new ServerError("quirk_invalid", `quirk: ${problem}`, {});
  if (!Number.isSafeInteger(quirkSeed)) throw fail(`the seed ${quirkSeed} is not a whole number`);
  const standing = parseQuirks(quirks, profile, fail);
  const draw = createDraws(quirkSeed);
  const possible = testMode
    ? quirkList.filter((quirk) => actsAt(quirk, profile))
    : standing.map(({ quirk }) => quirk);
  const actions = new Map<QuirkName, QuirkActions>(
    possible.map(({ name, act }) => [name, act?.(setting) ?? {}]),
  );
  return (header, exempt) => {
    let asked: NamedQuirk[] = [];
    if (header !== undefined) {
      if (!testMode) {
        const problem = "only a server in test mode takes it (testMode: true, or residua serve --test-mode)";
        throw invalidRequest(`X-Residua-Quirk: ${problem}; leave it out`);
      }
      const refuse = (problem: string) => invalidRequest(`X-Residua-Quirk: ${problem}`);
      asked = parseQuirks(header.split(","), profile, refuse);
    }
    if (exempt || actions.size === 0) return noQuirks;
    const own = new Set(asked.map(({ quirk }) => quirk.name));
    const met = [...standing.filter(({ quirk }) => !own.has(quirk.name)), ...asked].filter(
      ({ quirk, probability }) => probability === 1 || draw(quirk.name, probability),
    );
    return activate(new Set(met.map(({ quirk }) => quirk.name)), actions);
  };
}

function activate(names: ReadonlySet<QuirkName>, all: ReadonlyMap<QuirkName, QuirkActions>): ActiveQuirks {
  const acting = [...all].filter(([name]) => names.has(name)).map(([, actions]) => actions);
  return {
    has: (name) => names.has(name),
    generate: (requests, run, model) => {
      let next: Generate = run;
      for (const [name, actions] of all) {
        const chosen = names.has(name);
        if (actions.generate === undefined || !(chosen || actions.everyRequest === true)) continue;
        const inner = next;
        next = (asked) => actions.generate!(asked, inner, { model, chosen });
      }
      return next(requests);
    },
    instead: (context) => {
      for (const actions of acting) {
        const response = actions.instead?.(context) ?? null;
        if (response !== null) return response;
      }
      return null;
    },
    answer: async (response, context) => {
      let answer = response;
      for (const actions of acting) answer = (await actions.answer?.(answer, context)) ?? answer;
      return answer;
    },
  };
}
