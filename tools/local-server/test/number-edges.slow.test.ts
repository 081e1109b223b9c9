import { describe, expect, test } from "vitest";
import { allowedBy, requests, routes, schemaOf } from "./number-edge-cases.ts";
import { serve } from "./support.ts";

/** What is answered in another form, and what the form of a tensor does not decide. */
const notRun = new Set("stream apply_steering_vectors residua_interventions".split(" "));
/** Of the fields, priority alone takes a number as a text; the other texts are prompts and the like. */
const isNumber = (field: string, body: object) =>
  field === "priority" || typeof (body as Record<string, unknown>)[field] !== "string";

/** What no schema can say of one number: the limits of a request and of the model. */
const beyond =
  /over the \d+ |set it when a request has several|is not in the vocabulary|prompt tokens \+ \d+ max_tokens|not with stream|only with stream|is out of range|best_of/;

describe.each<["acs" | "octoai"]>([["acs"], ["octoai"]])("a server of the profile %s", (profile) => {
  const running = serve({ profile });
  const schema = schemaOf(routes[`${profile} completions`]!);

  test("runs what its document allows, or a limit is over", async () => {
    const allows = allowedBy(schema);
    const least = { model: "tiny", prompt: "a", max_tokens: 1 };
    const bodies = [...requests(schema, least)].filter(
      ({ field, body }) => !notRun.has(field) && isNumber(field, body) && allows(body) === true,
    );
    const wrong: string[] = [];
    const run = async (worker: number): Promise<void> => {
      for (let i = worker; i < bodies.length; i += 8) {
        const { body } = bodies[i]!;
        const { status, body: answer } = await running.complete(body);
        if (status !== 200 && !beyond.test(JSON.stringify(answer)))
          wrong.push(`${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
      }
    };
    await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(run));
    expect(wrong).toEqual([]);
    expect(bodies.length).toBeGreaterThan(100);
  });
});
