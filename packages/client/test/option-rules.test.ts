import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createClient, ResiduaError } from "../src/index.ts";
import { clientOptionRules, requestOptionRules } from "../src/option-rules.ts";
import { caught, request } from "./client-support.ts";

const baseURL = "http://127.0.0.1:1/v1";
const make = (options: object) => createClient({ baseURL, ...options });

describe("options", () => {
  it.each([
    ["maxRetrys", "did you mean maxRetries?"],
    ["base_url", "did you mean baseURL?"],
    ["APIKey", "did you mean apiKey?"],
    ["time_out", "did you mean timeout?"],
    ["dangerouslyAllowBrowser", "is not an option; known: "],
    ["__proto", "is not an option"],
  ])("of the client that are not known (%s) are refused by name, their values unshown", (name, hint) => {
    const made = () => make({ [name]: "hidden-value" });
    expect(made).toThrow(ResiduaError);
    expect(made).toThrow(hint);
    expect(made).not.toThrow(/hidden/);
  });

  it.each<[object, string]>([
    [{ timeout: 0 }, "timeout: 0 given; allowed: a number from 1"],
    [{ timeout: NaN }, "timeout: NaN given"],
    [{ timeout: { header: 5 } }, "timeout.header is not an option (did you mean timeout.headers?)"],
    [{ timeout: { body: -1 } }, "timeout.body: -1 given; allowed: a number from 1"],
    [{ maxRetries: 1.5 }, "maxRetries: 1.5 given; allowed: an integer from 0"],
    [{ retry: "often" }, "retry: a value of type string given; allowed: one of never, repeatable, always"],
    [{ backoff: { first: "1" } }, "backoff.first: a value of type string given"],
    [{ connections: 0 }, "connections: 0 given"],
    [{ maxResponseBytes: 0 }, "maxResponseBytes: 0 given"],
    [{ proxy: true }, "proxy: a value of type boolean given"],
    [{ profile: "openai" }, "profile: a value of type string given; allowed: one of acs, vllm, octoai"],
    [{ apiKey: 5 }, "apiKey: 5 given"],
    [{ fetch: "fetch" }, "fetch: a value of type string given; allowed: a function"],
    [{ headers: [] }, "headers: a value of type object given"],
    [{ paths: { completion: "/x" } }, "paths.completion is not an option (did you mean paths.completions?)"],
    [
      { paths: { completions: "completions" } },
      "paths.completions: a value of type string given; allowed: a path",
    ],
    [{ headers: new Headers({ a: "b" }) }, "headers: a value of type object given; allowed: a plain object"],
    [{ jobs: { lists: "x" } }, "jobs.lists is not an option (did you mean jobs.list?)"],
    [
      { jobs: { words: { finished: ["x"] } } },
      "jobs.words: a value of type object given; allowed: an object of",
    ],
    [{ jobs: { cancel: { method: "PUT", path: "/{id}" } } }, "jobs.cancel: a value of type object given"],
  ])("of the client that cannot be are refused: %j", (options, message) => {
    expect(() => make(options)).toThrow(message);
  });

  it("of a request are checked too, before anything is sent", async () => {
    const client = make({});
    const send = (options: object) => caught(client.completions.create(request, options));
    expect(await send({ maxRetry: 1 })).toMatchObject({
      code: "invalid_option",
      message: expect.stringContaining("maxRetry is not an option (did you mean maxRetries?)") as unknown,
    });
    expect(await send({ signal: {} })).toMatchObject({
      message: expect.stringContaining("an AbortSignal") as unknown,
    });
    expect(await send({ timeout: "5" })).toMatchObject({ code: "invalid_option" });
    await client.close();
  });

  it("that are undefined count as left out", () => {
    const nothing = Object.keys(clientOptionRules).map((name) => [name, undefined]);
    expect(() => createClient({ ...(Object.fromEntries(nothing) as object), baseURL })).not.toThrow();
    const inside = {
      paths: { completions: undefined },
      headers: { Authorization: undefined },
      timeout: { body: undefined },
    };
    expect(() => make(inside)).not.toThrow();
  });

  it("are all in the README", () => {
    const text = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    for (const name of Object.keys({ ...clientOptionRules, ...requestOptionRules }))
      expect(text).toContain(`\`${name}\``);
  });
});
