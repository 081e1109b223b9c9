import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type APIPromise,
  type Client,
  type Completion,
  type CompletionRequest,
  type CompletionStream,
  createClient,
  type JobRequest,
} from "../../src/index.ts";

const baseURL = "http://127.0.0.1:9/v1";
const acs = createClient({ baseURL, apiKey: "" });
const vllm = createClient({ baseURL, apiKey: "", profile: "vllm" });
const octoai = createClient({ baseURL, apiKey: "", profile: "octoai" });

describe("a client's types are those of its profile", () => {
  it("acs is the default", () => {
    expectTypeOf(acs).toEqualTypeOf<Client>();
    expectTypeOf<Client>().toEqualTypeOf<Client<"acs">>();
    expectTypeOf(vllm).toEqualTypeOf<Client<"vllm">>();
    expectTypeOf(octoai).toEqualTypeOf<Client<"octoai">>();
    expectTypeOf(vllm.profile).toEqualTypeOf<"vllm">();
  });

  it("a field of another profile is refused when compiled and when run", async () => {
    const xargs = { output_residual_stream: "[1]" };
    const refused: [() => Promise<unknown>, RegExp][] = [
      // @ts-expect-error vllm_xargs is vllm's
      [() => acs.completions.create({ prompt: "a", vllm_xargs: xargs }), /top-level fields/],
      // @ts-expect-error with vllm it is in vllm_xargs
      [() => vllm.completions.create({ prompt: "a", output_residual_stream: [1] }), /takes this at/],
      // @ts-expect-error only octoai has best_of
      [() => acs.completions.create({ prompt: "a", best_of: 2 }), /the API has no best_of/],
      // @ts-expect-error only octoai has peft
      [() => vllm.completions.create({ prompt: "a", peft: "x" }), /a field of the octoai profile/],
    ];
    for (const [send, words] of refused) await expect(send()).rejects.toThrow(words);
    type Takes<P extends "vllm" | "octoai"> = Parameters<Client<P>["completions"]["check"]>[0];
    expectTypeOf({ prompt: "a", vllm_xargs: xargs }).toExtend<Takes<"vllm">>();
    expectTypeOf({ model: "m", prompt: "a", best_of: 2 }).toExtend<Takes<"octoai">>();
  });

  it("a value of the wrong type is refused when compiled", () => {
    // @ts-expect-error a text is no number
    expectTypeOf<{ model: string; prompt: string; temperature: string }>().toExtend<CompletionRequest>();
    expectTypeOf<{
      model: string;
      prompt: string;
      temperature: number;
      n: null;
    }>().toExtend<CompletionRequest>();
    // @ts-expect-error the hosted API needs a model
    expectTypeOf<{ prompt: string }>().toExtend<CompletionRequest>();
    // @ts-expect-error a job is never streamed
    expectTypeOf<{ model: string; prompt: string; stream: true }>().toExtend<JobRequest>();
    // @ts-expect-error vLLM takes no null here
    expectTypeOf<{ prompt: string; n: null }>().toExtend<CompletionRequest<"vllm">>();
  });

  it("stream chooses what create gives", () => {
    type Create = Client["completions"]["create"];
    const whole = (create: Create) => create({ model: "m", prompt: "a" });
    const streamed = (create: Create) => create({ model: "m", prompt: "a", stream: true });
    expectTypeOf(whole).returns.toEqualTypeOf<APIPromise<Completion>>();
    expectTypeOf(streamed).returns.toEqualTypeOf<APIPromise<CompletionStream>>();
  });

  it("each kind of server has its own routes", () => {
    expectTypeOf<keyof Client<"vllm">>().toEqualTypeOf<
      Exclude<keyof Client, "jobs"> | "tokenize" | "detokenize" | "version"
    >();
    expect(Object.keys(vllm)).toEqual(
      expect.arrayContaining(["tokenize", "detokenize", "version", "health"]),
    );
    expect(Object.keys(acs)).toEqual(expect.arrayContaining(["health", "jobs"]));
    expect(Object.keys(vllm)).not.toContain("jobs");
    expect(Object.keys(acs)).not.toContain("tokenize");
    // @ts-expect-error octoai tells no health
    expect(octoai.health).toBeUndefined();
  });
});
