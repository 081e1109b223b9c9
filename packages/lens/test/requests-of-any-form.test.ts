import { ResiduaError } from "@residua/client";
import { describe, expect, test } from "vitest";
import { createLens, type Lens } from "../src/index.ts";
import { lensAt } from "./lens-at.ts";

/** As JavaScript calls it. */
type Loose = Record<string, (...given: unknown[]) => unknown>;
const sending = [
  "capture",
  "planCapture",
  "generate",
  "verifySteering",
  "captureMany",
  "generateMany",
] as const;
const right: Record<string, unknown> = {
  capture: { prompt: [1], layers: [1] },
  captureMany: { prompt: [1], layers: [1] },
  planCapture: { prompts: [[1]], layers: [1] },
};
const odd = [null, 5, "x", () => 1];

async function setUp() {
  const { lens, server } = await lensAt(() => new Error("nothing may be sent"));
  const loose = lens as unknown as Loose;
  async function refusal(act: () => unknown): Promise<ResiduaError> {
    try {
      const given = await act();
      if (typeof given === "object" && given !== null && Symbol.asyncIterator in given)
        for await (const outcome of given as AsyncIterable<{ error?: unknown }>) throw outcome.error;
    } catch (error) {
      expect(error).toBeInstanceOf(ResiduaError);
      expect(server.requests).toEqual([]);
      return error as ResiduaError;
    }
    throw new Error("it was taken");
  }
  return { lens, loose, server, refusal };
}

describe.each(sending)("%s", (name) => {
  test("refuses what is no request, with a code", async () => {
    const { loose, refusal } = await setUp();
    for (const given of [undefined, ...odd, {}])
      expect((await refusal(() => loose[name]!(given))).code).toMatch(/^invalid_(request|option)$/);
  });

  test("refuses options that are not known, or cannot be, by name", async () => {
    const { loose, refusal } = await setUp();
    const request = right[name] ?? { prompt: [1] };
    for (const options of odd)
      expect((await refusal(() => loose[name]!(request, options))).message).toMatch(/^options/);
    const slip = await refusal(() => loose[name]!(request, { signl: new AbortController().signal }));
    expect(slip).toMatchObject({ code: "invalid_option" });
    expect(slip.message).toMatch(/^signl is not an option \(did you mean signal\?\); known: .*signal/);
    expect((await refusal(() => loose[name]!(request, { signal: 5 }))).message).toMatch(
      /^signal: 5 given; allowed: an AbortSignal/,
    );
  });
});

test.each<[object, string]>([
  [{ bogus: 1 }, "bogus is not an option; known: signal, model, checks, intrusive, unembedding, onProgress"],
  [{ intrusiv: true }, "intrusiv is not an option (did you mean intrusive?)"],
  [{ intrusive: "yes" }, 'intrusive: "yes" given; allowed: true or false'],
  [{ checks: "S1" }, 'checks: "S1" given; allowed: a list of codes'],
  [{ checks: ["S20"] }, 'checks: "S20" given; allowed: S1'],
  [{ unembedding: {} }, "unembedding: a value of type object given; allowed: weights"],
  [{ unembedding: { finalNorm: [1], epsilon: 1, row: 5 } }, "unembedding: "],
  [{ signal: 5 }, "signal: 5 given; allowed: an AbortSignal"],
  [{ onProgress: 5 }, "onProgress: 5 given; allowed: a function"],
  [{ model: 5 }, "model: 5 given; allowed: a text"],
])("selfTest(%j) is refused before anything is sent", async (options, message) => {
  const { loose, refusal } = await setUp();
  const error = await refusal(() => loose["selfTest"]!(options));
  expect(error).toMatchObject({ name: "LensOptionError", code: "invalid_option" });
  expect(error.message.slice(0, message.length)).toBe(message);
});

test.each<[unknown, string]>([
  [{ bogus: 1 }, "bogus is not an option; known: profile, watchPreemptions"],
  [{ watchPreemption: true }, "watchPreemption is not an option (did you mean watchPreemptions?)"],
  [{ watchPreemptions: 1 }, "watchPreemptions: 1 given; allowed: true or false"],
  [{ profile: 5 }, "profile: 5 given; allowed: one of acs, vllm"],
  [null, "options: null given; allowed: an object"],
])("createLens(client, %j) is refused", async (options, message) => {
  const { server, refusal } = await setUp();
  const make = createLens as unknown as (...given: unknown[]) => Lens;
  const error = await refusal(() => make(server.client, options));
  expect(error).toMatchObject({ code: "invalid_option" });
  expect(error.message.slice(0, message.length)).toBe(message);
});

test.each<[object, string]>([
  [{ prompts: "x" }, "prompts: a value of type string given; allowed: a list of prompts"],
  [{ requests: {} }, "requests: a value of type object given; allowed: a list of requests"],
  [{ requests: [null] }, "requests[0]: null given; allowed: a request"],
  [{ prompts: ["a"], rate: 5 }, "rate: 5 given; allowed: { seconds"],
  [{ prompts: ["a"], countTokens: 1 }, "countTokens: 1 given; allowed: true or false"],
  [{ prompts: ["a"], select: null }, "select: null given; allowed: a selection"],
])("planCapture(%j) is refused", async (request, message) => {
  const { loose, refusal } = await setUp();
  const error = await refusal(() => loose["planCapture"]!({ layers: [1], ...request }));
  expect(error).toMatchObject({ code: "invalid_option" });
  expect(error.message.slice(0, message.length)).toBe(message);
});

test.each<[unknown, string]>([
  [["1"], 'layers[0]: "1"; '],
  [[0, 1.5], "layers[1]: 1.5; "],
  [[0, [2, null]], "layers[1][1]: null; "],
  [[0, [-1]], "layers[1][0]: -1; "],
  [[{ depth: 2 }], "layers[0].depth: 2; "],
  [[], "layers: []; "],
  [new Set([1]), "layers: a value of type object; "],
  [5, "layers: 5; "],
])("of layers %j the wrong entry is named", async (layers, message) => {
  const { loose, refusal } = await setUp();
  const error = await refusal(() => loose["capture"]!({ prompt: [1], layers }));
  expect(error.message).toContain(`: ${message}allowed: a list of layers from 0`);
  if (layers instanceof Set) expect(error.message).toContain("[...set] makes a list of it");
});
