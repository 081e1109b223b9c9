import { expect, test } from "vitest";
import type { AppOptions } from "../src/app-options.ts";
import { createApp } from "../src/create-app.ts";
import type { Profile } from "../src/profile.ts";
import { noQuirks } from "../src/quirks/active-quirks.ts";
import { readJsonBody } from "../src/read-json-body.ts";

/** What a body's reader throws when the connection closes: as Node and Deno do it. */
const closed = Object.assign(new Error("aborted"), { code: "ECONNRESET" });

test.each([
  ["that the connection closed is not logged, before the signal tells it", closed, 0],
  ["another error is", new Error("the disk is full"), 1],
])("%s", async (_, error, lines) => {
  const logged: string[] = [];
  const profile = {
    addRoutes: (app) => app.post("/read", async ({ req, json }) => json(await readJsonBody(req.raw))),
    errorBody: () => ({}),
  } as Pick<Profile, "addRoutes" | "errorBody"> as Profile;
  const options = { chooseQuirks: () => noQuirks, log: (line: string) => logged.push(line) };
  const body = new ReadableStream({ pull: (controller) => controller.error(error) });
  const request = new Request("http://x/read", { method: "POST", body, duplex: "half" } as RequestInit);
  await createApp(profile, options as unknown as AppOptions).request(request);
  expect(logged).toHaveLength(lines);
});
