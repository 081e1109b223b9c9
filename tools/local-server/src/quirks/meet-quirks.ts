import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-options.ts";
import { quirkHeader, type ChooseQuirks } from "./choose-quirks.ts";

/** Where completions are asked for, and what they left to be fetched. A job meets no quirk. */
const route = /^\/v1\/((chat\/)?completions|activations\/[^/]+)$/;

/** Lets the requests for completions meet the server's quirks, and their own where the server is in test mode. */
export function meetQuirks(choose: ChooseQuirks): MiddlewareHandler<AppEnv> {
  return async (context, next) => {
    const quirks = choose(context.req.header(quirkHeader), !route.test(context.req.path));
    context.set("quirks", quirks);
    const instead = quirks.instead(context);
    if (instead !== null) return instead;
    await next();
    const { res } = context;
    const answer = await quirks.answer(res, context);
    if (answer !== res) {
      // What is set as an answer otherwise takes over the headers of the one before.
      context.res = undefined;
      context.res = answer;
    }
    return undefined;
  };
}
