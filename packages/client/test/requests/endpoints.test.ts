import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkEndpointFields } from "../../src/requests/check-request.ts";
import type { Endpoint } from "../../src/requests/endpoints/endpoint.ts";
import { endpoints } from "../../src/requests/endpoints/endpoints.ts";
import {
  filledPromptForms,
  filledPromptSchema,
  promptForms,
  promptSchema,
} from "../../src/requests/fields/prompt-pieces.ts";
import { InvalidRequestError, type RequestIssue } from "../../src/requests/invalid-request-error.ts";
import { fieldCases, leastRequest } from "./field-cases.ts";

const all = Object.values(endpoints).flat();
const withFields = all.filter(({ fields }) => Object.keys(fields).length > 0);
const keyOf = ({ profile, name }: Endpoint) => `${profile} ${name}`;

function issuesOf(request: object, endpoint: Endpoint): readonly RequestIssue[] {
  try {
    checkEndpointFields(request, endpoint);
    return [];
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.issues;
    throw error;
  }
}

function fieldsAtFault(request: object, endpoint: Endpoint): string[] {
  return issuesOf(request, endpoint).map(({ field }) => field);
}

/** The field of an issue without what is inside of it: `prompt[3]` is about `prompt`. */
const rootOf = (field: string) => field.split(/[.[]/)[0];

describe.each(withFields.map((endpoint) => [keyOf(endpoint), endpoint] as const))("%s", (key, endpoint) => {
  const cases = Object.entries(fieldCases[key] ?? {});
  const least = leastRequest[key] ?? {};

  it("has a case for every field, and says of each what it may be and where that is stated", () => {
    expect(cases.map(([name]) => name).sort()).toEqual(Object.keys(endpoint.fields).sort());
    for (const { allowed, source } of Object.values(endpoint.fields)) expect(allowed && source).toBeTruthy();
  });

  it.each(cases)("%s: both sides of every edge", (field, { taken, refused }) => {
    for (const value of taken) {
      const request = { ...least, [field]: value };
      expect(fieldsAtFault(request, endpoint), JSON.stringify(value)).toEqual([]);
      expect(Object.hasOwn(checkEndpointFields(request, endpoint), field)).toBe(value !== null);
    }
    for (const value of refused) {
      const roots = new Set(fieldsAtFault({ ...least, [field]: value }, endpoint).map(rootOf));
      expect([...roots], `${JSON.stringify(value)} (${String(value)})`).toEqual([field]);
    }
  });

  it("takes any request inside every range, and gives back what is set and nothing else (property)", () => {
    const any = fc.record(Object.fromEntries(cases.map(([name, { inside }]) => [name, inside])), {
      requiredKeys: [],
    });
    fc.assert(
      fc.property(any, fc.subarray(cases.map(([name]) => name)), (request, unset) => {
        const given: Record<string, unknown> = { ...least, ...request };
        for (const name of unset) if (!Object.hasOwn(least, name)) given[name] = undefined;
        const wanted = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
        expect(checkEndpointFields(given, endpoint)).toEqual(Object.fromEntries(wanted));
        expect(Object.keys(checkEndpointFields(given, endpoint)).sort()).toEqual(
          wanted.map(([name]) => name).sort(),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("names exactly the one field that is out of its range (property)", () => {
    const wrong = fc
      .constantFrom(...cases)
      .chain(([name, { refused }]) => fc.tuple(fc.constant(name), fc.constantFrom(...refused)));
    const any = fc.record(Object.fromEntries(cases.map(([name, { inside }]) => [name, inside])), {
      requiredKeys: [],
    });
    fc.assert(
      fc.property(any, wrong, (request, [field, value]) => {
        const roots = fieldsAtFault({ ...least, ...request, [field]: value }, endpoint).map(rootOf);
        expect(new Set(roots)).toEqual(new Set([field]));
      }),
      { numRuns: 300 },
    );
  });

  it("refuses unknown fields by name, with the nearest one", () => {
    const [first = ""] = Object.keys(endpoint.fields);
    const camel = Object.keys(endpoint.fields).find((name) => name.includes("_")) ?? "";
    const camelCase = camel.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    for (const [given, near] of [[`${first}s`, first], ...(camel ? [[camelCase, camel]] : [])] as [
      string,
      string,
    ][]) {
      expect(() => checkEndpointFields({ ...least, [given]: "acs-bm-secret" }, endpoint)).toThrow(
        `did you mean ${near}?`,
      );
    }
  });
});

it("a route without a body takes no field", () => {
  for (const endpoint of all.filter((one) => !withFields.includes(one))) {
    expect(fieldsAtFault({}, endpoint)).toEqual([]);
    expect(fieldsAtFault({ model: "a" }, endpoint)).toEqual(["model"]);
  }
});

it("the names of endpoints are unique within a profile, and so are those of rules within an endpoint", () => {
  expect(new Set(all.map(keyOf)).size).toBe(all.length);
  for (const { rules } of all) expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
});

it("the quick check of a prompt takes what its forms take (property)", () => {
  const element = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }),
    fc.constantFrom("\ud83d\ude00", "a\ud83d", "\ude00"),
    fc.integer({ min: -2, max: 5 }),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined, 2 ** 53, {}),
  );
  const value = fc.oneof(
    element,
    fc.array(element),
    fc.array(fc.array(element)),
    fc.array(fc.nat()),
    fc.array(fc.array(fc.nat())),
  );
  fc.assert(
    fc.property(value, (given) => {
      expect(promptSchema.safeParse(given).success).toBe(promptForms.safeParse(given).success);
      expect(filledPromptSchema.safeParse(given).success).toBe(filledPromptForms.safeParse(given).success);
    }),
    { numRuns: 3000 },
  );
  expect(promptSchema.safeParse([1, , 3]).success).toBe(false);
});

it("refuses half a surrogate pair in a prompt's text, and says at which index (property)", () => {
  const unit = fc.oneof(
    fc.constantFrom("a", "é", "\ud83d\ude00"),
    fc.nat(0xffff).map((one) => String.fromCharCode(one)),
  );
  const given = fc.string({ unit });
  const takers = new Map(
    withFields.filter(({ fields }) => Object.hasOwn(fields, "prompt")).map((one) => [keyOf(one), one]),
  );
  expect([...takers.keys()].sort()).toEqual([
    "acs completions",
    "acs job",
    "octoai completions",
    "vllm completions",
    "vllm tokenize",
  ]);
  fc.assert(
    fc.property(given, fc.constantFrom(...takers.keys()), fc.boolean(), (rest, key, listed) => {
      const endpoint = takers.get(key)!;
      const text = `a${rest}`;
      // What UTF-8 changes has half a pair.
      const kept = new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));
      const first = [...text.split("").keys()].find((i) => kept[i] !== text[i]);
      const isList = listed && endpoint.name !== "tokenize";
      const request = { model: "m", ...leastRequest[key], prompt: isList ? ["b", text] : text };
      const issues = issuesOf(request, endpoint);
      expect(issues).toHaveLength(first === undefined ? 0 : 1);
      if (first === undefined) return;
      expect(issues[0]?.field).toBe(isList ? "prompt[1]" : "prompt");
      expect(issues[0]?.hint).toContain(`at index ${first},`);
    }),
    { numRuns: 1000 },
  );
});

it("says where a field belongs: to another profile, to vllm_xargs, or to the openai SDK", () => {
  const hint = (profile: "acs" | "vllm" | "octoai", field: string) => {
    const [endpoint] = endpoints[profile];
    if (endpoint === undefined) throw new Error("no endpoint");
    try {
      checkEndpointFields({ model: "m", prompt: "a", [field]: {} }, endpoint);
    } catch (error) {
      return (error as InvalidRequestError).issues[0]?.hint;
    }
    return undefined;
  };
  for (const profile of ["acs", "vllm", "octoai"] as const)
    expect(hint(profile, "extra_body")).toMatch(/top level/);
  expect(hint("acs", "vllm_xargs")).toMatch(/top-level fields: output_residual_stream/);
  expect(hint("acs", "ignore_eos")).toMatch(/a field of the vllm profile's completions/);
  expect(hint("acs", "peft")).toMatch(/a field of the octoai profile's completions/);
  expect(hint("vllm", "output_residual_stream")).toBe("vllm takes this at vllm_xargs.output_residual_stream");
  expect(hint("vllm", "guided_json")).toBe("vllm takes this at structured_outputs.json");
  expect(hint("octoai", "top_k")).toMatch(/a field of the acs profile's completions/);
});
