import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Content } from "@residua/analysis/plots";
import { html } from "@residua/analysis/plots";
import type { Explorer } from "../explorer.ts";
import { exampleResult } from "../panes/example-pane.ts";
import { explainError } from "../panes/explain-error.ts";
import { page, type PageParts } from "../panes/page.ts";
import { problem } from "../panes/problem.ts";
import { type Fields, readFields } from "../panes/read-fields.ts";
import { rowsForm, rowsHeading, rowsLede, rowsResult } from "../panes/rows-pane.ts";
import { steerForm, steerHeading, steerLede, steerResult } from "../panes/steer-pane.ts";
import { tokensForm, tokensHeading, tokensLede, tokensResult } from "../panes/tokens-pane.ts";
import { explorerCss } from "./explorer-css.ts";
import { pageHeaders } from "./page-headers.ts";
import { refuseOthers } from "./refuse-others.ts";

/** A prompt of a million characters is a mistake. */
const longestBody = 1 << 20;

export interface AppOptions {
  /** First part of every path. */
  readonly secret: string;
  readonly port: () => number;
  /** Ends all work when the explorer closes. */
  readonly closing: AbortSignal;
  /** Takes what went wrong in the explorer itself. */
  readonly log: (text: string) => void;
}

type Ask = Context<{ Bindings: HttpBindings }>;

interface View extends Omit<PageParts, "form" | "result"> {
  form(explorer: Explorer, fields: Fields): Content | Promise<Content>;
  result(explorer: Explorer, fields: Fields, signal: AbortSignal): Promise<Content>;
}

const tokensView: View = {
  view: "tokens",
  heading: tokensHeading,
  lede: tokensLede,
  form: tokensForm,
  result: tokensResult,
};
const steerView: View = {
  view: "steer",
  heading: steerHeading,
  lede: steerLede,
  form: steerForm,
  result: steerResult,
};
const rowsView: View = {
  view: "rows",
  heading: rowsHeading,
  lede: rowsLede,
  form: rowsForm,
  result: rowsResult,
};

/** The explorer's routes. A request with the header `x-residua-fragment` gets the result alone. */
export function createApp(explorer: Explorer, options: AppOptions): Hono<{ Bindings: HttpBindings }> {
  const { secret, port, closing, log } = options;
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async (context, next) => {
    const { method, path } = context.req;
    const refusal = refuseOthers(
      { method, headers: context.env.incoming.headers, path },
      { port: port(), secret },
    );
    if (refusal !== null) return context.text(`${refusal.message}\n`, refusal.status, pageHeaders);
    await next();
    for (const [name, value] of Object.entries(pageHeaders)) context.res.headers.set(name, value);
    return undefined;
  });
  app.use(
    bodyLimit({
      maxSize: longestBody,
      onError: (context) => context.text("A prompt may have at most 1 MiB.\n", 413),
    }),
  );

  /** The result, or the error in its place; `quiet` shows the form alone. */
  const answer = async (context: Ask, view: View, fields: Fields, quiet = false): Promise<Response> => {
    const signal = AbortSignal.any([context.req.raw.signal, closing]);
    let status: 200 | ReturnType<typeof explainError>["status"] = 200;
    const guarded = async (make: () => Content | Promise<Content>): Promise<Content> => {
      try {
        return await make();
      } catch (error) {
        const explained = explainError(error);
        if (explained.status === 500 && !signal.aborted)
          log(error instanceof Error ? (error.stack ?? error.message) : String(error));
        status = explained.status;
        return problem(explained);
      }
    };
    const result = quiet ? null : await guarded(() => view.result(explorer, fields, signal));
    if (context.req.header("x-residua-fragment") !== undefined)
      return context.html(html`${result}`.text, status);
    // The same field may be at fault in both: it is told once, and the form is shown as it begins.
    const form = await guarded(() => view.form(explorer, fields)).then((made) =>
      status === 200 || quiet ? made : view.form(explorer, readFields(onlyPrompt(fields))),
    );
    return context.html(page(explorer, { ...view, form, result }), status);
  };

  const base = `/${secret}`;
  app.get(`${base}/`, (context) => context.redirect("tokens"));
  for (const view of [tokensView, steerView]) {
    app.get(`${base}/${view.view}`, (context) => answer(context, view, queryFields(context), true));
    app.post(`${base}/${view.view}`, async (context) =>
      answer(context, view, readFields(new URLSearchParams(await context.req.text()))),
    );
  }
  app.get(`${base}/rows`, (context) => answer(context, rowsView, queryFields(context)));
  app.get(`${base}/example`, (context) => {
    const fields = queryFields(context);
    const heading = fields.text("id", "An example");
    return answer(
      context,
      { view: "rows", heading, lede: "One example of the dataset.", form: () => null, result: exampleResult },
      fields,
    );
  });
  app.get(`${base}/explorer.css`, (context) =>
    context.body(explorerCss, 200, { "content-type": "text/css; charset=utf-8" }),
  );
  app.get(`${base}/explorer.js`, async (context) =>
    context.body(await readFile(scriptFile, "utf8"), 200, {
      "content-type": "text/javascript; charset=utf-8",
    }),
  );
  app.notFound((context) =>
    context.text("There is no such view: open the address that residua explore printed.\n", 404),
  );
  app.onError((error, context) => {
    log(error.stack ?? error.message);
    return context.text("The explorer failed: the terminal shows where.\n", 500);
  });
  return app;
}

/** Beside the sources and beside what is built of them. */
const scriptFile = fileURLToPath(new URL("../../assets/explorer.js", import.meta.url));

function queryFields(context: Ask): Fields {
  return readFields(new URL(context.req.url).searchParams);
}

function onlyPrompt(fields: Fields): URLSearchParams {
  return new URLSearchParams({ prompt: fields.text("prompt", "") });
}
