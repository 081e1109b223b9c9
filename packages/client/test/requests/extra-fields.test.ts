import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { withoutExtraFields } from "../../src/requests/extra-fields.ts";
import { clientOf, collect, crowdServer, makeCloser } from "../many/crowd-server.ts";

const closing = makeCloser();
afterEach(() => closing.all());

describe("withoutExtraFields", () => {
  it("parts a request in two that together are the request, undefined fields left out of the extra ones", () => {
    const field = fc.constantFrom("a", "b", "__proto__", "constructor", "toString");
    const request = fc.dictionary(field, fc.option(fc.jsonValue(), { nil: undefined }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(request, fc.uniqueArray(field), (given, names) => {
        const before = structuredClone(given);
        const { known, extra } = withoutExtraFields(given, names);
        expect(given).toEqual(before);
        for (const [name, value] of Object.entries(given)) {
          const isExtra = (names as string[]).includes(name);
          expect(Object.hasOwn(known, name)).toBe(!isExtra);
          expect(Object.hasOwn(extra, name)).toBe(isExtra && value !== undefined);
        }
        expect(Object.keys({ ...known, ...extra }).every((name) => Object.hasOwn(given, name))).toBe(true);
      }),
    );
  });

  it("leaves what is no object to the check of fields", () => {
    for (const given of [null, undefined, "x", 3])
      expect(withoutExtraFields(given as unknown as object, ["a"])).toEqual({ known: given, extra: {} });
  });
});

describe("sampleMany with fields that the profile does not know", () => {
  const request = { model: "llama-8b", prompt: "p", max_tokens: 2, temperature: 1 };

  it("sends them as they are, and refuses others", async () => {
    const server = closing(await crowdServer());
    const client = closing(clientOf(server, { extraFields: ["capture_layers"] }));
    const requests = [
      { ...request, capture_layers: [1, "x"] },
      { ...request, capture_rows: 1 },
      null,
    ] as never[];
    const outcomes = await collect(client.completions.sampleMany(requests, { ordered: true }));
    expect(outcomes.map(({ error }) => error?.code)).toEqual([
      undefined,
      "invalid_request",
      "invalid_request",
    ]);
    expect(server.asked).toMatchObject([{ ...request, capture_layers: [1, "x"] }]);
  });

  it("packs no request that has one", async () => {
    const server = closing(await crowdServer());
    const client = closing(clientOf(server, { extraFields: ["capture_layers"] }));
    const plain = Array.from({ length: 4 }, () => ({ ...request }));
    const extra = plain.map((one) => ({ ...one, capture_layers: [1] }));
    await collect(client.completions.sampleMany(extra, { pack: true }));
    expect(server.asked).toHaveLength(4);
    await collect(client.completions.sampleMany(plain, { pack: true }));
    expect(server.asked).toHaveLength(5);
  });
});
